import type { DeliveryState } from '../../contract/delivery';
import type { ReplayTally } from '../../contract/replay';
import type { Reader } from '../database/reading/reader';

/** The queued deliveries of one replay to one target. */
export interface QueuedCount {
  queued: number;
  /** Those that are due and not attempted yet. */
  pending: number;
}

/** Counts the queued deliveries of a replay by target number, from an index alone. */
export async function countQueued(
  replayId: string,
  reader: Reader,
): Promise<ReadonlyMap<number, QueuedCount>> {
  const rows = await reader.all<{ state: DeliveryState; target: number; count: number }>([
    `SELECT state, target_id AS target, count(*) AS count FROM deliveries
     WHERE replay_id = ? AND state IN ('waiting', 'pending', 'retrying') GROUP BY state, target_id`,
    [replayId],
  ]);
  const counts = new Map<number, QueuedCount>();
  for (const { state, target, count } of rows) {
    const { queued, pending } = counts.get(target) ?? { queued: 0, pending: 0 };
    counts.set(target, { queued: queued + count, pending: pending + (state === 'pending' ? count : 0) });
  }
  return counts;
}

/**
 * Counts the stored deliveries of a replay by target and outcome. For a million of them only the index is read:
 * succeeded and dead ones were sent, and the rows of the others are few.
 */
export function tallyReplay(replayId: string, reader: Reader): Promise<ReplayTally[]> {
  return reader.all<ReplayTally>([
    `SELECT t.id AS target_id, sum(c.rows) AS deliveries,
       sum(CASE WHEN c.state IN ('succeeded', 'dead') THEN c.rows ELSE 0 END) + (
         SELECT count(*) FROM deliveries d WHERE d.replay_id = ? AND d.target_id = t.number AND d.attempts > 0
           AND d.state IN ('waiting', 'pending', 'retrying', 'cancelled')) AS sent,
       sum(CASE WHEN c.state IN ('waiting', 'pending', 'retrying') THEN c.rows ELSE 0 END) AS open,
       sum(CASE c.state WHEN 'succeeded' THEN c.rows ELSE 0 END) AS succeeded,
       sum(CASE c.state WHEN 'dead' THEN c.rows ELSE 0 END) AS dead,
       sum(CASE c.state WHEN 'cancelled' THEN c.rows ELSE 0 END) AS cancelled
     FROM (SELECT target_id, state, count(*) AS rows FROM deliveries WHERE replay_id = ? GROUP BY state, target_id) c
     JOIN targets t ON t.number = c.target_id GROUP BY t.number ORDER BY t.number`,
    [replayId, replayId],
  ]);
}
