import { assertNoneMissing } from '../migrations/migrations';
import { checkServer } from './check-server';
import { openPool, runTransaction, withConnection } from './connect';
import { findMissing, migrate, readApplied } from './schema';
import { orUnavailable } from './unavailable';

/**
 * Checks the server and applies missing migrations.
 * @returns the names of those that were applied, and whether the schema was empty
 * @throws StartupError if the server cannot be reached or used
 */
export async function preparePostgres(url: string): Promise<{ applied: string[]; isNew: boolean }> {
  // An upgrade may take long.
  const pool = openPool(url, 1, { queryTimeoutMs: 0 });
  try {
    return await orUnavailable(url, () =>
      withConnection(pool, async (client) => {
        const name = await checkServer(client);
        return runTransaction(client, async () => {
          const isNew = (await readApplied(client)).names.length === 0;
          return { applied: await migrate(client, name), isNew };
        });
      }),
    );
  } finally {
    await pool.end();
  }
}

/**
 * Checks the server and the tables, and changes nothing.
 * @returns the database's name for messages
 * @throws StartupError if the server cannot be reached or used, or the tables are not those of this version
 */
export async function inspectPostgres(url: string): Promise<string> {
  const pool = openPool(url, 1);
  try {
    return await orUnavailable(url, () =>
      withConnection(pool, async (client) => {
        const name = await checkServer(client);
        assertNoneMissing(findMissing(await readApplied(client), name), name);
        return name;
      }),
    );
  } finally {
    await pool.end();
  }
}
