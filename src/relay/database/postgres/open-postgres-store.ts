import { TimeBounds } from '../../ground/time-bounds';
import type { Store, StoreTools } from '../store';
import { CONNECTIONS, openPool, READ_TIMEOUT_MS } from './connect';
import { openPostgresSource, readPostgresClockRecord } from './open-postgres';
import { PostgresJournal } from './postgres-journal';
import { PostgresReader } from './postgres-reader';
import { assertNoUnfinishedMove } from './unfinished-move';
import type { SharedWriting } from './writer/shared-writing';

/** @param url an up-to-date database @throws StartupError while a hub is moved to it */
export async function openPostgresStore(
  url: string,
  { clock, log, entities, closers }: StoreTools,
  shared: SharedWriting,
): Promise<Store & { journal: PostgresJournal }> {
  const source = await openPostgresSource(url, entities);
  closers.push(() => source.destroy());
  await assertNoUnfinishedMove(source);
  const bounds = new TimeBounds(clock, await readPostgresClockRecord(source));
  const journal = await PostgresJournal.open(url, clock, bounds, log, shared);
  closers.push(() => journal.close());
  const reader = new PostgresReader(
    openPool(url, CONNECTIONS.reading, { connectTimeoutMs: READ_TIMEOUT_MS }),
  );
  closers.push(() => reader.close());
  return { journal, reader, source, bounds };
}
