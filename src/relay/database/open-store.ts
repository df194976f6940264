import { existsSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import type { Clock } from '../ground/clock';
import type { Log } from '../ground/log';
import { TimeBounds } from '../ground/time-bounds';
import { readClockRecord } from './clock-record';
import type { Journal } from './journal';
import { SqliteJournal } from './journal/sqlite-journal';
import { openReadingSource } from './open-database';
import { openPool, READ_TIMEOUT_MS } from './postgres/connect';
import {
  CONNECTIONS,
  openPostgresJournal,
  openPostgresSource,
  preparePostgres,
  readPostgresClockRecord,
} from './postgres/open-postgres';
import { PostgresReader } from './postgres/postgres-reader';
import type { Reader } from './reader';
import { SqliteReader } from './sqlite-reader';
import { upgradeDatabase } from './upgrade-database';

/** The database, open and up to date. */
export interface Store {
  journal: Journal;
  reader: Reader;
  source: DataSource;
  /** Continue those of the previous run. */
  bounds: TimeBounds;
  /** Whether it was created by this start. */
  isNew: boolean;
}

interface StoreTools {
  clock: Clock;
  log: Log;
  entities: Parameters<typeof openReadingSource>[1];
  /** Gets what closes each part, in the order in which they were opened. */
  closers: (() => unknown)[];
}

/** @param file may not exist yet @throws StartupError if this version cannot use it */
export async function openSqliteStore(
  file: string,
  { clock, log, entities, closers }: StoreTools,
): Promise<Store> {
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

/** @throws StartupError if the server cannot be reached or used */
export async function openPostgresStore(
  url: string,
  { clock, log, entities, closers }: StoreTools,
): Promise<Store> {
  const { applied, isNew } = await preparePostgres(url);
  if (applied.length > 0) log.info({ migrations: applied }, 'the database was upgraded');
  const source = await openPostgresSource(url, entities);
  const bounds = new TimeBounds(clock, await readPostgresClockRecord(source));
  const journal = await openPostgresJournal(url, clock, bounds, log);
  closers.push(
    () => source.destroy(),
    () => journal.close(),
  );
  const reader = new PostgresReader(openPool(url, CONNECTIONS.reading, READ_TIMEOUT_MS));
  closers.push(() => reader.close());
  return { journal, reader, source, bounds, isNew };
}
