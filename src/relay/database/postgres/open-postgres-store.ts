import { TimeBounds } from '../../ground/time-bounds';
import type { Store, StoreTools } from '../store';
import { CONNECTIONS, openPool, READ_TIMEOUT_MS } from './connect';
import { lockPostgres } from './database-lock';
import { openPostgresJournal, openPostgresSource, readPostgresClockRecord } from './open-postgres';
import { PostgresReader } from './postgres-reader';
import { preparePostgres } from './prepare-postgres';

/** @throws StartupError if the server cannot be reached or used, or another daemon uses the database */
export async function openPostgresStore(
  url: string,
  { clock, log, entities, closers, onLockLost }: StoreTools,
): Promise<Store> {
  closers.push(await lockPostgres(url, onLockLost));
  const { applied, isNew } = await preparePostgres(url);
  if (applied.length > 0) log.info({ migrations: applied }, 'the database was upgraded');
  const source = await openPostgresSource(url, entities);
  const bounds = new TimeBounds(clock, await readPostgresClockRecord(source));
  const journal = await openPostgresJournal(url, clock, bounds, log);
  closers.push(
    () => source.destroy(),
    () => journal.close(),
  );
  const reader = new PostgresReader(
    openPool(url, CONNECTIONS.reading, { connectTimeoutMs: READ_TIMEOUT_MS }),
  );
  closers.push(() => reader.close());
  return { journal, reader, source, bounds, isNew };
}
