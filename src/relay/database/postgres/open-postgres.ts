import pg from 'pg';
import { DataSource } from 'typeorm';
import type { TimeRecord } from '../../ground/time-bounds';
import { parseClockRow, SELECT_CLOCK, type ClockRow } from '../journal/clock-record';
import type { EntityClass } from '../store';
import { APPLICATION_NAME, CONNECTIONS, prepareSession, QUERY_TIMEOUT_MS, READ_TIMEOUT_MS } from './connect';
import { PostgresClient } from './postgres-client';
import { orNotReadable } from './postgres-errors';

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
    connectTimeoutMS: READ_TIMEOUT_MS,
    poolSize: CONNECTIONS.source,
    poolErrorHandler: () => undefined,
    installExtensions: false,
    extra: {
      Client: PostgresClient,
      query_timeout: QUERY_TIMEOUT_MS,
      onConnect: prepareSession(QUERY_TIMEOUT_MS),
    },
  });
  // The name of the type matters for creating tables only, which the migrations do.
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

/** @returns null before the first record was stored */
export async function readPostgresClockRecord(source: DataSource): Promise<TimeRecord | null> {
  const [row] = await source.query<ClockRow[]>(SELECT_CLOCK);
  return parseClockRow(row);
}
