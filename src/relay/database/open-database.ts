import { existsSync } from 'node:fs';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { StartRefused } from '../relay-error';
import { prepareWriting, sqliteDriver, type Connection } from './sqlite-driver';
import { FirstTables1763600000000 } from './sqlite-schema';
import { ConsentExchanges1763700000000 } from './sqlite-schema-consents';
import { Outages1763701000000 } from './sqlite-schema-outages';
import { SubscriptionCare1763700000001 } from './sqlite-schema-subscription';

type EntityClass = NonNullable<DataSourceOptions['entities']> extends infer E ? Extract<E, unknown[]> : never;

const MIGRATIONS = [
  FirstTables1763600000000,
  ConsentExchanges1763700000000,
  SubscriptionCare1763700000001,
  Outages1763701000000,
];

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

function refuseNewer(file: string): void {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    const applied = connection
      .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE name = 'migrations'`)
      .get();
    if (applied === undefined) return;
    const newer = connection
      .prepare<[], { name: string }>('SELECT name FROM migrations ORDER BY id')
      .all()
      .filter(({ name }) => !known.has(name));
    if (newer.length === 0) return;
    throw new StartRefused([
      {
        where: 'DATABASE_URL',
        what: `${file} was written by a newer Switchboard (${newer.map(({ name }) => name).join(', ')}).`,
        remedy: 'Start the newer version, or restore a backup made by this one.',
      },
    ]);
  } finally {
    connection.close();
  }
}
