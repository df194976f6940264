import { existsSync, statSync } from 'node:fs';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { MIGRATIONS, refuseNewer } from './migrations/migrations';
import { prepareWriting, sqliteDriver, type Connection } from './sqlite-driver';

type EntityClass = NonNullable<DataSourceOptions['entities']> extends infer E ? Extract<E, unknown[]> : never;

/** The tables of an earlier version, which are about to be changed. */
export interface Upgrade {
  /** The names of the changes. */
  missing: string[];
  /** What the database takes. */
  bytes: number;
}

/**
 * Brings the database up to this program's tables. The connection that does so is closed again: from then on the journal
 * alone writes.
 * @param onUpgrade told before it begins, since it holds up the thread and may take minutes
 * @throws StartRefused when the database is newer than the program
 */
export async function migrateDatabase(
  file: string,
  onUpgrade: (upgrade: Upgrade) => void = () => undefined,
): Promise<void> {
  const applied = existsSync(file) ? refuseNewer(file) : [];
  const missing = MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name));
  if (applied.length > 0 && missing.length > 0) onUpgrade({ missing, bytes: statSync(file).size });
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
  } finally {
    await source.destroy();
  }
}

/** TypeORM for ordinary reads: what is committed, and nothing can be written through it. */
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
