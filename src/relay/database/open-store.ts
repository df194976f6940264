import { TimeBounds } from '../ground/time-bounds';
import { assertNotMoved } from './sqlite/moved-marker';
import { readClockRecord } from './sqlite/clock-record';
import { SqliteJournal } from './sqlite/sqlite-journal';
import { openReadingSource } from './sqlite/open-database';
import { SqliteReader } from './sqlite/sqlite-reader';
import type { Store, StoreTools } from './store';
import { upgradeDatabase } from './sqlite/upgrade-database';

/** @param file may not exist yet @throws StartupError if this version cannot use the database, or its hub was moved */
export async function openSqliteStore(
  file: string,
  { clock, log, entities, closers }: StoreTools,
): Promise<Store> {
  assertNotMoved(file);
  await upgradeDatabase(file, log);
  const bounds = new TimeBounds(clock, readClockRecord(file));
  const journal = await SqliteJournal.open(file, clock, bounds, log);
  closers.push(() => journal.close());
  const reader = new SqliteReader(file);
  closers.push(() => reader.close());
  const source = await openReadingSource(file, entities);
  closers.push(() => source.destroy());
  return { journal, reader, source, bounds };
}
