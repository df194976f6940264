import { existsSync, statSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { VERSION } from '../../ground/version';
import { isNewest, MIGRATIONS, missingMigrations, type Applied } from '../migrations/migrations';
import type { EntityClass } from '../store';
import { readApplied } from './read-migrations';
import { prepareWriting, sqliteDriver, type Connection } from './sqlite-driver';

/** Describes a database of an earlier version that is about to be migrated. */
export interface Upgrade {
  /** The names of the migrations that will be applied. */
  missing: string[];
  /** The size of the file. */
  bytes: number;
}

/**
 * Applies missing migrations, then closes the connection: from then on, only the journal writes.
 * @param onUpgrade called before an existing database is migrated, which blocks the thread and may take minutes
 * @returns the names of the migrations that were applied
 * @throws StartupError if this version cannot use the database
 */
export async function migrateDatabase(
  file: string,
  onUpgrade: (upgrade: Upgrade) => void = () => undefined,
): Promise<string[]> {
  const applied: Applied = existsSync(file) ? readApplied(file) : { names: [], version: null };
  const missing = missingMigrations(applied, file);
  if (applied.names.length > 0 && missing.length > 0) onUpgrade({ missing, bytes: statSync(file).size });
  const source = new DataSource({
    type: 'better-sqlite3',
    driver: sqliteDriver,
    database: file,
    prepareDatabase: (connection: Connection) => prepareWriting(connection),
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'all',
  });
  await source.initialize();
  try {
    await source.runMigrations();
    if (isNewest(applied.version)) await source.query('UPDATE instance SET version = ?', [VERSION]);
  } finally {
    await source.destroy();
  }
  return missing;
}

/** A read-only TypeORM connection; it sees all committed changes. */
export async function openReadingSource(file: string, entities: EntityClass): Promise<DataSource> {
  const source = new DataSource({
    type: 'better-sqlite3',
    driver: sqliteDriver,
    database: file,
    readonly: true,
    entities,
  });
  return source.initialize();
}
