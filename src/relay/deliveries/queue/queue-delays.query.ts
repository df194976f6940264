import { Injectable } from '@nestjs/common';
import { withIndex } from '../../database/reading/dialect';
import { Reader } from '../../database/reading/reader';
import { TimeBounds } from '../../ground/time-bounds';
import { Backlog } from './backlog';
import { CLASSES } from './ready-deliveries';

/** What the queue of a target waits for, apart from retries that are scheduled for later. */
export interface QueueDelay {
  /** Since when what is sent next could have been sent, in ms since 1970; null if nothing is due. */
  dueSince: number | null;
  /** Lanes in which deliveries wait behind a dead letter. */
  blockedLanes: number;
}

/** The first of each class. In a lane, it is older than all that wait for it. */
const NEXT_DUE = CLASSES.map(
  (ofClass) => `SELECT * FROM (
    SELECT created_at AS "createdAt", due_at AS "dueAt", attempts FROM ${withIndex('deliveries', 'deliveries_due')}
    WHERE target_id = @target AND class = ${ofClass} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1) class${ofClass}`,
).join(' UNION ALL ');
/** Most dead letters in a lane block it; this many, the newest, are examined at most. */
const EXAMINED = 10_000;
const BLOCKED_LANES = `
  SELECT count(*) AS lanes FROM (
    SELECT event_seq, n, lane, finished_at FROM ${withIndex('deliveries', 'deliveries_failed')}
    WHERE target_id = @target AND state = 'dead' AND state IN ('retrying', 'dead', 'cancelled')
    ORDER BY event_seq DESC LIMIT ${EXAMINED}) d
  WHERE d.lane IS NOT NULL AND d.finished_at IS NULL AND EXISTS (
    SELECT 1 FROM ${withIndex('deliveries', 'deliveries_lane')} WHERE target_id = @target AND lane = d.lane
    AND finished_at IS NULL AND (event_seq, n) > (d.event_seq, d.n))`;

interface DueRow {
  createdAt: number;
  dueAt: number;
  attempts: number;
}

/** Reads why deliveries of a target are still queued. */
@Injectable()
export class QueueDelaysQuery {
  constructor(
    private readonly reader: Reader,
    private readonly backlog: Backlog,
    private readonly bounds: TimeBounds,
  ) {}

  /** Without a read, if nothing is queued. */
  async of(target: number): Promise<QueueDelay> {
    if (this.backlog.queued(target) === 0) return { dueSince: null, blockedLanes: 0 };
    const [due, blocked] = await Promise.all([
      this.reader.all<DueRow>([NEXT_DUE, [{ target }]]),
      this.backlog.dead(target) === 0
        ? []
        : this.reader.all<{ lanes: number }>([BLOCKED_LANES, [{ target }]]),
    ]);
    const times = due.flatMap((row) => this.dueSince(row));
    return {
      dueSince: times.length === 0 ? null : Math.min(...times),
      blockedLanes: blocked[0]?.lanes ?? 0,
    };
  }

  /** A first attempt has been due since its delivery was created, also if it had to wait in its lane. */
  private dueSince({ createdAt, dueAt, attempts }: DueRow): number[] {
    if (attempts === 0) return [createdAt];
    return dueAt > this.bounds.latest() ? [] : [this.bounds.toWallClock(dueAt)];
  }
}
