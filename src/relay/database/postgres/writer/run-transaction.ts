import type { Pool, PoolClient } from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { withTimeout } from '../../../ground/with-timeout';
import { isStorageFailure } from '../postgres-errors';

/** How often the outcome of a commit is asked for, while it is unknown. */
const ASK_EVERY_MS = 250;

/** What Node's timers can count. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * Runs work in a transaction, on disk when it returns. If the connection breaks during the commit, the server is asked what
 * became of it, however long that takes: an event that may be stored must not be answered with 503.
 * @param isClosing ends the wait
 * @param limitMs how long the transaction may take, including the wait for a connection
 */
export async function runTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  isClosing: () => boolean,
  limitMs = NO_LIMIT_MS,
): Promise<T> {
  const started = performance.now();
  const client = await connectWithin(pool, limitMs);
  // The statement that runs then fails.
  const limit = setTimeout(() => void client.end(), started + limitMs - performance.now());
  let committing: { id: string; result: T } | null = null;
  try {
    const id = await begin(client);
    committing = { id, result: await work(client) };
    await client.query('COMMIT');
    client.release();
    return committing.result;
  } catch (error) {
    // The connection may still be in the transaction.
    client.release(true);
    if (committing === null || !isStorageFailure(error)) throw error;
    if (await wasCommitted(pool, committing.id, isClosing)) return committing.result;
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

async function connectWithin(pool: Pool, limitMs: number): Promise<PoolClient> {
  const connecting = pool.connect();
  const client = await withTimeout(connecting, limitMs, null);
  if (client !== null) return client;
  connecting.then(
    (late) => late.release(),
    () => undefined,
  );
  throw new Error('timeout exceeded when trying to connect');
}

/** @returns the id of the transaction */
async function begin(client: PoolClient): Promise<string> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]!.id;
}

async function wasCommitted(pool: Pool, transactionId: string, isClosing: () => boolean): Promise<boolean> {
  while (!isClosing()) {
    try {
      const { rows } = await pool.query<{ status: string | null }>(
        'SELECT pg_xact_status($1::xid8) AS status',
        [transactionId],
      );
      const status = rows[0]?.status ?? null;
      if (status !== 'in progress') return status === 'committed';
    } catch {
      // The server is still away.
    }
    await wait(ASK_EVERY_MS);
  }
  return false;
}
