import { Pool, type ClientBase, type PoolClient } from 'pg';
import { PostgresClient } from './postgres-client';

/** Waiting longer for a connection, or for one of the pool to be free, fails: a notification has only some seconds. */
export const CONNECT_TIMEOUT_MS = 3_000;

/** The same for reads, of which many may wait at once. */
export const READ_CONNECT_TIMEOUT_MS = 30_000;

/** A stalled network must not hold a group until TCP gives up. The server cancels a statement after the same time. */
export const QUERY_TIMEOUT_MS = 30_000;

/**
 * For each statement that appends events; the server cancels it after the same time. Longer than
 * `IDLE_IN_TRANSACTION_MS`, for which another daemon may hold the lock that it waits for.
 */
export const APPEND_TIMEOUT_MS = 3_500;

export const APPLICATION_NAME = 'switchboard';

/** A daemon that is frozen in a transaction must not hold its locks, for which the others wait: the server ends it. */
export const IDLE_IN_TRANSACTION_MS = 3_000;

/** Connections of each kind (`queue`: reads of due deliveries; `source`: TypeORM's); one more receives notices. */
export const CONNECTIONS = { appending: 1, writing: 2, queue: 6, reading: 3, source: 3, lease: 1 };

/**
 * @param url as the driver understands it, TLS and `options` included; what it leaves out comes from `PG…` variables
 * @param max the number of connections
 * @param options.prepare a statement that each session runs first
 * @param options.pipeline whether statements are sent without waiting for the answers to those before
 */
export function openPool(
  url: string,
  max: number,
  {
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    queryTimeoutMs = QUERY_TIMEOUT_MS,
    idleInTransactionMs = 0,
    prepare = '',
    pipeline = false,
  } = {},
): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    onConnect: prepareSession(queryTimeoutMs, idleInTransactionMs, prepare),
    application_name: APPLICATION_NAME,
    keepAlive: true,
    pipeline,
    Client: PostgresClient,
  });
  // An idle connection that breaks is replaced at its next use, which reports a failure.
  pool.on('error', () => undefined);
  return pool;
}

/**
 * What the statements rely on, whatever the defaults of role, database, server or address are: in a stricter isolation
 * level, a statement that waited for a lock would not see what was committed meanwhile; a timeout of others would end
 * what must not end; a plan that was kept from when a table was small would read all of a large one.
 */
const SESSION = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  synchronous_commit: 'on',
  lock_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  plan_cache_mode: 'force_custom_plan',
};

/**
 * For `onConnect` of a pool, which waits for the result although its type does not say so. Set by a statement, since a
 * connection pooler may refuse these settings as startup parameters. Older servers lack some of them. Every value of
 * `synchronous_commit` that makes a commit durable is kept.
 */
export const prepareSession =
  (statementMs: number, idleInTransactionMs = 0, prepare = '') =>
  (client: ClientBase): unknown =>
    client.query(
      `SELECT set_config(name, value, FALSE) FROM (VALUES ${Object.entries({
        ...SESSION,
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: idleInTransactionMs,
      })
        .map(([name, value]) => `('${name}', '${value}')`)
        .join()}) AS wanted(name, value) JOIN pg_settings USING (name)
       WHERE name <> 'synchronous_commit' OR setting = 'off'; ${prepare}`,
    );

/** Runs work in a transaction, on a connection that is closed if that fails. */
export const inTransaction = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  withConnection(pool, (client) => runTransaction(client, () => work(client)));

/** Runs work in a transaction of a connection, which is to be closed if that fails. */
export async function runTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  const result = await work();
  await client.query('COMMIT');
  return result;
}

/** Runs work on one connection, which is closed if that fails. */
export async function withConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
