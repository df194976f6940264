import { TestPostgres } from '../postgres';

/** The settings of a daemon on a database in PostgreSQL. The token is that of the other tests. */
export const postgresEnvironment = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  SWITCHBOARD_ADMIN_TOKEN: 'admin-token-of-the-test',
});

/** Read once: a command in this process replaces the environment while it runs. */
const IS_ON_POSTGRES = process.env['TEST_ENGINE'] === 'postgres';

let server: Promise<TestPostgres> | null = null;
/** By data folder. */
const databases = new Map<string, Promise<string>>();

/**
 * With `TEST_ENGINE=postgres`, tests of the daemon run it on a database in PostgreSQL: one for each data folder, on the
 * server of the run.
 */
export async function databaseEnvironment(dataDir: string): Promise<Record<string, string>> {
  if (!IS_ON_POSTGRES) return {};
  if (!databases.has(dataDir)) {
    server ??= TestPostgres.start();
    databases.set(
      dataDir,
      server.then((postgres) => postgres.createMigrated()),
    );
  }
  return postgresEnvironment((await databaseUrlOf(dataDir))!);
}

/** @returns null if the daemon with this folder uses a SQLite file */
export const databaseUrlOf = async (dataDir: string) => (await databases.get(dataDir)) ?? null;
