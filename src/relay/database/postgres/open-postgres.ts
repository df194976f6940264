import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Clock } from '../../ground/clock';
import type { Log } from '../../ground/log';
import type { TimeBounds, TimeRecord } from '../../ground/time-bounds';
import { parseInstanceId, SELECT_INSTANCE, type InstanceRecord } from '../instance-record';
import { GroupJournal } from '../journal/group-journal';
import { APPLICATION_NAME, CONNECTIONS, openPool, QUERY_TIMEOUT_MS, READ_TIMEOUT_MS } from './connect';
import { PostgresClient } from './postgres-client';
import { PostgresQueueReads } from './queue-reads';
import { PostgresWriter } from './writer/postgres-writer';

type EntityClass = NonNullable<DataSourceOptions['entities']> extends infer E ? Extract<E, unknown[]> : never;

/** @param url an up-to-date database */
export async function openPostgresJournal(
  url: string,
  clock: Clock,
  bounds: TimeBounds,
  log: Log,
): Promise<GroupJournal> {
  const writing = openPool(url, CONNECTIONS.writing);
  const { rows } = await writing.query(SELECT_INSTANCE);
  const writer = new PostgresWriter(writing, parseInstanceId(rows[0] as InstanceRecord), log);
  const queue = new PostgresQueueReads(
    openPool(url, CONNECTIONS.queue, { connectTimeoutMs: READ_TIMEOUT_MS }),
  );
  return new GroupJournal(writer, queue, clock, bounds, log);
}

/** A TypeORM connection for reading; it sees all committed changes. */
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
    extra: { Client: PostgresClient, query_timeout: QUERY_TIMEOUT_MS },
  });
  // The name of the type matters for creating tables only, which the migrations do.
  source.driver.supportedDataTypes.push('blob');
  return source.initialize();
}

/** @returns null before the first record was stored */
export async function readPostgresClockRecord(source: DataSource): Promise<TimeRecord | null> {
  const [row] =
    await source.query<{ wall_at: number; latest_at: number; doubts: string }[]>('SELECT * FROM clock');
  if (row === undefined) return null;
  return { wall: row.wall_at, latest: row.latest_at, doubts: JSON.parse(row.doubts) as TimeRecord['doubts'] };
}
