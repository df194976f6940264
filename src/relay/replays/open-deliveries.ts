import type { DataSource } from 'typeorm';

/** Deliveries of one replay to one target that have no outcome yet. */
export interface OpenCount {
  open: number;
  /** Due, and not attempted yet. */
  pending: number;
}

/** What of a replay is open at each target, by its number; read off an index alone. */
export async function openDeliveries(
  source: DataSource,
  replayId: string,
): Promise<ReadonlyMap<number, OpenCount>> {
  const rows = await source.query<(OpenCount & { target: number })[]>(
    `SELECT target_id AS target, count(*) AS open, sum(state = 'pending') AS pending FROM deliveries
     WHERE replay_id = ? AND state IN ('waiting', 'pending', 'retrying') GROUP BY target_id`,
    [replayId],
  );
  return new Map(rows.map(({ target, open, pending }) => [target, { open, pending }]));
}
