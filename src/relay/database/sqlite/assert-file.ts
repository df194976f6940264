import { StartupError } from '../../ground/relay-error';
import type { Settings } from '../../settings/settings';

/** @param instead what to do on PostgreSQL @throws StartupError if the database is not a file */
export function assertFile({ postgresUrl }: Pick<Settings, 'postgresUrl'>, instead: string): void {
  if (postgresUrl === null) return;
  throw new StartupError({
    where: 'DATABASE_URL',
    what: 'DATABASE_URL specifies PostgreSQL, and this works on the file of a SQLite database.',
    remedy: instead,
  });
}
