import pg from 'pg';
import { DataSource } from 'typeorm';
import { StartupError } from '../../ground/relay-error';
import { TimeBounds } from '../../ground/time-bounds';
import { parseClockRow, SELECT_CLOCK, type ClockRow } from '../journal/clock-record';
import type { EntityClass, Store, StoreTools } from '../store';
import {
  APPLICATION_NAME,
  CONNECTIONS,
  openPool,
  prepareSession,
  QUERY_TIMEOUT_MS,
  READ_CONNECT_TIMEOUT_MS,
} from './connect';
import { PostgresClient } from './postgres-client';
import { orNotReadable } from './postgres-errors';
import { PostgresJournal } from './postgres-journal';
import { PostgresReader } from './postgres-reader';
import type { SharedWriting } from './writer/shared-writing';

/** The table that exists from the start of a move to its end. */
export const UNFINISHED_MOVE = 'unfinished_move';

/** @param url an up-to-date database @throws StartupError while a hub is moved to it */
export async function openPostgresStore(
  url: string,
  { clock, log, entities, closers }: StoreTools,
  shared: SharedWriting,
): Promise<Store & { journal: PostgresJournal }> {
  const source = await openPostgresSource(url, entities);
  closers.push(() => source.destroy());
  await assertNoUnfinishedMove(source);
  const [clockRow] = await source.query<ClockRow[]>(SELECT_CLOCK);
  const bounds = new TimeBounds(clock, parseClockRow(clockRow));
  const journal = await PostgresJournal.open(url, clock, bounds, log, shared);
  closers.push(() => journal.close());
  const reader = new PostgresReader(
    openPool(url, CONNECTIONS.reading, { connectTimeoutMs: READ_CONNECT_TIMEOUT_MS }),
  );
  closers.push(() => reader.close());
  return { journal, reader, source, bounds };
}

/**
 * A TypeORM connection for reading; it sees all committed changes. Its queries throw a RelayError, `storage_failed`, if
 * the server or the connection to it is at fault.
 */
export async function openPostgresSource(url: string, entities: EntityClass): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    driver: pg,
    url,
    entities,
    applicationName: APPLICATION_NAME,
    connectTimeoutMS: READ_CONNECT_TIMEOUT_MS,
    poolSize: CONNECTIONS.source,
    poolErrorHandler: () => undefined,
    installExtensions: false,
    extra: {
      Client: PostgresClient,
      query_timeout: QUERY_TIMEOUT_MS,
      onConnect: prepareSession(QUERY_TIMEOUT_MS),
    },
  });
  // The entities name the type of SQLite, which TypeORM would refuse. Only creating tables needs it, as migrations do.
  source.driver.supportedDataTypes.push('blob');
  await source.initialize();
  const { driver } = source;
  const createQueryRunner = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode) => {
    const runner = createQueryRunner(mode);
    const query = runner.query.bind(runner) as (...parameters: unknown[]) => Promise<never>;
    runner.query = (...parameters: unknown[]) => orNotReadable(() => query(...parameters));
    return runner;
  };
  return source;
}

/** @throws StartupError if a hub is being moved to this database */
async function assertNoUnfinishedMove(source: DataSource): Promise<void> {
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
