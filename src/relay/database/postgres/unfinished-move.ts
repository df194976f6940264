import type { DataSource } from 'typeorm';
import { StartupError } from '../../ground/relay-error';

/** The table that exists from the start of a move to its end. */
export const UNFINISHED_MOVE = 'unfinished_move';

/** @throws StartupError if a hub is being moved to this database */
export async function assertNoUnfinishedMove(source: DataSource): Promise<void> {
  const rows = await source.query<unknown[]>(
    `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = '${UNFINISHED_MOVE}'`,
  );
  if (rows.length === 0) return;
  throw new StartupError({
    where: 'DATABASE_URL',
    what: 'A hub is being moved to this database, or a move to it was interrupted.',
    remedy:
      'Wait until switchboard move has finished, or run it again: it continues where it was interrupted.',
  });
}
