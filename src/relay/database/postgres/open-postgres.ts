import pg, { type PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Clock } from '../../ground/clock';
import type { Log } from '../../ground/log';
import { StartupError } from '../../ground/relay-error';
import type { TimeBounds, TimeRecord } from '../../ground/time-bounds';
import { parseInstanceId, SELECT_INSTANCE, type InstanceRecord } from '../instance-record';
import { GroupJournal } from '../journal/group-journal';
import { checkServer } from './check-server';
import { APPLICATION_NAME, openPool, READ_TIMEOUT_MS, withConnection } from './connect';
import { PostgresClient } from './postgres-client';
import { errorCode, isStorageFailure } from './postgres-errors';
import { PostgresQueueReads } from './queue-reads';
import { migrate, readApplied } from './schema';
import { PostgresWriter } from './writer/postgres-writer';

type EntityClass = NonNullable<DataSourceOptions['entities']> extends infer E ? Extract<E, unknown[]> : never;

/** Connections of each kind. A transaction pooler in front of the server sees their sum from each daemon. */
export const CONNECTIONS = { writing: 2, queue: 6, reading: 3, source: 3 };

/**
 * Checks the server and applies missing migrations.
 * @returns the names of those that were applied, and whether the schema was empty
 * @throws StartupError if the server cannot be reached or used
 */
export async function preparePostgres(url: string): Promise<{ applied: string[]; isNew: boolean }> {
  const pool = openPool(url, 1);
  try {
    return await withConnection(pool, async (client) => {
      const name = await checkServer(client);
      return inTransaction(client, async () => {
        const isNew = (await readApplied(client)).length === 0;
        return { applied: await migrate(client, name), isNew };
      });
    });
  } catch (error) {
    if (error instanceof StartupError || !isStorageFailure(error)) throw error;
    throw unreachable(url, error);
  } finally {
    await pool.end();
  }
}

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
  const queue = new PostgresQueueReads(openPool(url, CONNECTIONS.queue, READ_TIMEOUT_MS));
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
    extra: { Client: PostgresClient },
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

async function inTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  const result = await work();
  await client.query('COMMIT');
  return result;
}

function unreachable(url: string, error: unknown): StartupError {
  return new StartupError([
    {
      where: 'DATABASE_URL',
      what: `PostgreSQL at ${hostOf(url)} cannot be used (${errorCode(error)}: ${(error as Error).message}).`,
      remedy:
        'Check that the server runs and is reachable from here, and the user, password and database of the address.',
    },
  ]);
}

/** The address contains a password. */
function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'the default address'}${pathname}`;
}
