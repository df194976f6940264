import { Pool, type PoolClient } from 'pg';
import { PostgresClient } from './postgres-client';

/** An attempt to connect that takes longer fails: whoever waits for it has only some seconds. */
export const CONNECT_TIMEOUT_MS = 3_000;

export const APPLICATION_NAME = 'switchboard';

/**
 * @param url as the driver understands it, TLS and `options` included; what it leaves out comes from `PG…` variables
 * @param max the number of connections
 */
export function openPool(url: string, max: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: APPLICATION_NAME,
    keepAlive: true,
    Client: PostgresClient,
  });
  // An idle connection that breaks is replaced at its next use, which reports a failure.
  pool.on('error', () => undefined);
  return pool;
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
