import { existsSync } from 'node:fs';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { MIGRATIONS, refuseNewer } from './migrations';
import { prepareWriting, sqliteDriver, type Connection } from './sqlite-driver';

type EntityClass = NonNullable<DataSourceOptions['entities']> extends infer E ? Extract<E, unknown[]> : never;

/**
 * Brings the database up to this program's tables. The connection that does so is closed again: from then on the journal
 * alone writes.
 * @throws StartRefused when the database is newer than the program
 */
export async function migrateDatabase(file: string): Promise<void> {
  if (existsSync(file)) refuseNewer(file);
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
