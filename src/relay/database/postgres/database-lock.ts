import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { DatabaseUnavailable } from '../../ground/relay-error';
import { APPLICATION_NAME, CONNECT_TIMEOUT_MS } from './connect';
import { orUnavailable } from './unavailable';

/** A connection whose other end is gone without a word is noticed after this, and the time of one query. */
const CHECK_EVERY_MS = 5_000;

/** The server takes a moment to notice that a daemon was killed. */
const TRIES = 10;
const TRY_EVERY_MS = 200;

/** The schema is part of the lock: another one has tables of its own. The server adds the database. */
const TRY_LOCK = `SELECT pg_try_advisory_lock(hashtext('switchboard'), hashtext(coalesce(current_schema(), ''))) AS locked`;

/**
 * Locks a database for one daemon, on a connection of its own: the server releases the lock when that ends.
 * @param onLost is called once, if the connection ends before it is closed; another daemon may have the lock by then
 * @returns a function that releases the lock
 * @throws DatabaseUnavailable if another daemon holds the lock, or the server cannot be reached
 */
export async function lockPostgres(
  url: string,
  onLost: (error: Error) => void,
): Promise<() => Promise<void>> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CHECK_EVERY_MS,
    application_name: `${APPLICATION_NAME} lock`,
    keepAlive: true,
  });
  let isHeld = false;
  const lost = (error: Error) => {
    if (!isHeld) return;
    isHeld = false;
    onLost(error);
  };
  client.on('error', lost);
  client.on('end', () => lost(new Error('The connection ended.')));
  await orUnavailable(url, async () => {
    await client.connect();
    for (let tries = 1; !isHeld && tries <= TRIES; tries += 1) {
      if (tries > 1) await wait(TRY_EVERY_MS);
      isHeld = await tryLock(client);
    }
  });
  if (!isHeld) {
    await client.end();
    throw inUse();
  }
  const checks = setInterval(() => void client.query('SELECT 1').catch(lost), CHECK_EVERY_MS);
  return async () => {
    isHeld = false;
    clearInterval(checks);
    await client.end();
  };
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(TRY_LOCK);
  return rows[0]?.locked === true;
}

const inUse = () =>
  new DatabaseUnavailable([
    {
      where: 'DATABASE_URL',
      what: 'Another Switchboard is using this database; several daemons on one are not supported yet.',
      remedy: 'Stop it, or use another database or schema for this one.',
    },
  ]);
