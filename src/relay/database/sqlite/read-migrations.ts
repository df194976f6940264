import {
  assertNoneMissing,
  hasInstance,
  missingMigrations,
  startupError,
  type Applied,
} from '../migrations/migrations';
import { sqliteDriver, type Connection } from './sqlite-driver';

/** Changes nothing. @throws StartupError if the database cannot be read, or its tables are not those of this version */
export function assertMigrated(file: string): void {
  assertNoneMissing(readMigrations(file).missing, file);
}

/**
 * The migrations that were applied to a database, none if it has no tables, and those that are missing.
 * @param name what messages call the file
 * @throws StartupError if it cannot be read, or this version cannot upgrade it
 */
export function readMigrations(file: string, name = file): { applied: readonly string[]; missing: string[] } {
  try {
    const applied = readApplied(file);
    return { applied: applied.names, missing: missingMigrations(applied, name) };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith('SQLITE_')) throw error;
    throw startupError(
      `${name} cannot be read as a database (${code}: ${message}).`,
      'Check the disk for errors, and restore a backup.',
    );
  }
}

export function readApplied(file: string): Applied {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const table = connection.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'migrations'`).get();
    if (table === undefined) return { names: [], version: null };
    const names = connection.prepare<[], string>('SELECT name FROM migrations ORDER BY id').pluck().all();
    return { names, version: hasInstance(names) ? readVersion(connection) : null };
  } finally {
    connection.close();
  }
}

/** An earlier version has no such column. */
function readVersion(connection: Connection): string | null {
  const instance = connection.prepare<[], { version?: string | null }>('SELECT * FROM instance').get();
  return instance?.version ?? null;
}
