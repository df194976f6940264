import { existsSync } from 'node:fs';
import { TimeBounds } from '../ground/time-bounds';
import type { Settings } from '../settings/settings';
import { readClockRecord } from './clock-record';
import { SqliteJournal } from './journal/sqlite-journal';
import { openReadingSource } from './open-database';
import { SqliteReader } from './sqlite-reader';
import type { Store, StoreTools } from './store';
import { upgradeDatabase } from './upgrade-database';

/** @throws StartupError if this version cannot use the database */
export async function openStore(
  { postgresUrl, databaseFile }: Pick<Settings, 'postgresUrl' | 'databaseFile'>,
  tools: StoreTools,
): Promise<Store> {
  if (postgresUrl === null) return openSqliteStore(databaseFile, tools);
  // Loaded here, so that a start on SQLite does not run it. With `import`, it would be a file of the bundle that imports from
  // the one that imports it, which the bundler cannot build.
  const {
    openPostgresStore,
  }: typeof import('./postgres/open-postgres-store') = require('./postgres/open-postgres-store');
  return openPostgresStore(postgresUrl, tools);
}

/** @param file may not exist yet */
async function openSqliteStore(file: string, { clock, log, entities, closers }: StoreTools): Promise<Store> {
  const isNew = !existsSync(file);
  await upgradeDatabase(file, log);
  const bounds = new TimeBounds(clock, readClockRecord(file));
  const journal = await SqliteJournal.open(file, clock, bounds, log);
  closers.push(() => journal.close());
  const reader = new SqliteReader(file);
  closers.push(() => reader.close());
  const source = await openReadingSource(file, entities);
  closers.push(() => source.destroy());
  return { journal, reader, source, bounds, isNew };
}
