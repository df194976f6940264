import { Injectable } from '@nestjs/common';
import type { DeliveryClass } from '../../database/journal/journal';
import { withIndex } from '../../database/reading/dialect';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import type { DeliveryKey } from '../../ground/ids';
import { TimeBounds } from '../../ground/time-bounds';
import { CLASSES, WEIGHTS } from './ready-deliveries';

/** More deliveries of a class are not counted, which would take too long. */
const MAX_COUNTED = 100_000;

const OWN = `SELECT class, due_at AS "dueAt", uncounted FROM deliveries WHERE event_seq = ? AND target_id = ? AND n = ?`;
const countDue = (condition: string) => `SELECT count(*) AS count FROM (
  SELECT 1 AS one FROM ${withIndex('deliveries', 'deliveries_due')}
  WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND ${condition} LIMIT ${MAX_COUNTED}) ahead`;
const DUE = countDue('due_at <= ?');
const DUE_BEFORE = countDue('(due_at, event_seq, n) < (?, ?, ?)');

interface OwnRow {
  class: DeliveryClass;
  dueAt: number | null;
  uncounted: number;
}

export interface QueuePosition {
  /** How many deliveries are likely to be sent before it, at least; null if it is not scheduled. */
  ahead: number | null;
  /** Whether there are more than could be counted. */
  isMore: boolean;
  /** How many of its attempts are uncounted. */
  uncounted: number;
}

export const NOT_SCHEDULED: QueuePosition = { ahead: null, isMore: false, uncounted: 0 };

/** Reads the position of a delivery in the queue of its target. */
@Injectable()
export class QueuePositionQuery {
  constructor(
    private readonly reader: Reader,
    private readonly bounds: TimeBounds,
  ) {}

  async of({ seq, target, n }: DeliveryKey, signal?: RequestSignal): Promise<QueuePosition> {
    const [own] = await this.reader.all<OwnRow>([OWN, [seq, target, n]], signal);
    const { class: ownClass, dueAt = null, uncounted = 0 } = own ?? {};
    if (ownClass === undefined || dueAt === null) return NOT_SCHEDULED;
    const counts = await Promise.all(
      CLASSES.map((ofClass) =>
        this.count(
          ofClass === ownClass
            ? [DUE_BEFORE, [target, ofClass, dueAt, seq, n]]
            : [DUE, [target, ofClass, this.bounds.latest()]],
          signal,
        ),
      ),
    );
    const before = counts[ownClass]!;
    // While a class has deliveries, it gets its share.
    const share = (ofClass: DeliveryClass) =>
      Math.floor(((before + 1) * WEIGHTS[ofClass]) / WEIGHTS[ownClass]);
    const ahead = CLASSES.reduce<number>(
      (sum, ofClass) => sum + (ofClass === ownClass ? before : Math.min(counts[ofClass]!, share(ofClass))),
      0,
    );
    return { ahead, isMore: before === MAX_COUNTED, uncounted };
  }

  private async count(query: [sql: string, parameters: unknown[]], signal?: RequestSignal): Promise<number> {
    const [row] = await this.reader.all<{ count: number }>(query, signal);
    return row!.count;
  }
}
