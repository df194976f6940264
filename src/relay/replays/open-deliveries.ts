import type { DeliveryState } from '../../contract/delivery';
import type { Reader } from '../database/reader';

/** Deliveries of one replay to one target that have no outcome yet. */
export interface OpenCount {
  open: number;
  /** Due, and not attempted yet. */
  pending: number;
}

/** What of a replay is open at each target, by its number: read off an index alone, in its order. */
export async function openDeliveries(
  replayId: string,
  reader: Reader,
): Promise<ReadonlyMap<number, OpenCount>> {
  const rows = await reader.all<{ state: DeliveryState; target: number; count: number }>([
    `SELECT state, target_id AS target, count(*) AS count FROM deliveries
     WHERE replay_id = ? AND state IN ('waiting', 'pending', 'retrying') GROUP BY state, target_id`,
    [replayId],
  ]);
  const counts = new Map<number, OpenCount>();
  for (const { state, target, count } of rows) {
    const { open, pending } = counts.get(target) ?? { open: 0, pending: 0 };
    counts.set(target, { open: open + count, pending: pending + (state === 'pending' ? count : 0) });
  }
  return counts;
}
