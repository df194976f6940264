import { assertNoneMissing, missingMigrations, startupError } from '../migrations/migrations';
import { sqliteDriver } from './sqlite-driver';

/** Changes nothing. @throws StartupError if the database cannot be read, or its tables are not those of this version */
export function assertMigrated(file: string): void {
  assertNoneMissing(readMigrations(file).missing, file);
}

/**
 * The migrations that were applied to a database, none if it has no tables, and those that are missing.
 * @param name what messages call the file
 * @throws StartupError if it cannot be read, or this version cannot upgrade it
 */
export function readMigrations(file: string, name = file): { applied: string[]; missing: string[] } {
  try {
    const applied = readApplied(file);
    return { applied, missing: missingMigrations(applied, name) };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith('SQLITE_')) throw error;
    throw startupError(
      `${name} cannot be read as a database (${code}: ${message}).`,
      'Check the disk for errors, and restore a backup.',
    );
  }
}

/** The names of the applied migrations, in order; empty if the database has no tables yet. */
export function readApplied(file: string): string[] {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const table = connection.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'migrations'`).get();
    if (table === undefined) return [];
    return connection.prepare<[], string>('SELECT name FROM migrations ORDER BY id').pluck().all();
  } finally {
    connection.close();
  }
}
