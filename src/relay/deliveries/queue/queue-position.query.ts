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
  WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND ${condition} LIMIT ?) ahead`;
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
    const before = await this.count([DUE_BEFORE, [target, ownClass, dueAt, seq, n, MAX_COUNTED]], signal);
    const counts = await Promise.all(
      CLASSES.filter((ofClass) => ofClass !== ownClass).map((ofClass) => {
        // While a class has deliveries, it gets its share.
        const share = Math.floor(((before + 1) * WEIGHTS[ofClass]) / WEIGHTS[ownClass]);
        const limit = Math.min(share, MAX_COUNTED);
        return this.count([DUE, [target, ofClass, this.bounds.latest(), limit]], signal);
      }),
    );
    const ahead = counts.reduce((sum, count) => sum + count, before);
    return { ahead, isMore: [before, ...counts].includes(MAX_COUNTED), uncounted };
  }

  private async count(query: [sql: string, parameters: unknown[]], signal?: RequestSignal): Promise<number> {
    const [row] = await this.reader.all<{ count: number }>(query, signal);
    return row!.count;
  }
}
