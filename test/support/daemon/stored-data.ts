import { join } from 'node:path';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { databaseUrlOf } from './database-environment';

/** Changes what a daemon has stored, on either engine, bypassing its writer. @param sql statements */
export async function alterStored(dataDir: string, sql: string): Promise<void> {
  if ((await onPostgres(dataDir, sql)) === null) onSqlite(dataDir, (connection) => connection.exec(sql));
}

/** Runs a statement with parameters on what a daemon has stored, on either engine. */
export async function queryStored<Row>(
  dataDir: string,
  sql: string,
  ...parameters: unknown[]
): Promise<Row[]> {
  const rows =
    (await onPostgres(dataDir, sql, parameters)) ??
    onSqlite(dataDir, (connection) => {
      const statement = connection.prepare<unknown[], Row>(sql);
      return statement.reader ? statement.all(...parameters) : [statement.run(...parameters)];
    });
  return rows as Row[];
}

/** @returns null if the daemon does not use PostgreSQL */
async function onPostgres(dataDir: string, sql: string, parameters?: unknown[]): Promise<unknown[] | null> {
  const url = await databaseUrlOf(dataDir);
  if (url === null) return null;
  const pool = openPool(url, 1);
  try {
    return (await pool.query(sql, parameters)).rows ?? [];
  } finally {
    await pool.end();
  }
}

function onSqlite<T>(dataDir: string, work: (connection: InstanceType<typeof sqliteDriver>) => T): T {
  const connection = new sqliteDriver(join(dataDir, 'switchboard.db'));
  try {
    connection.pragma('busy_timeout = 5000');
    return work(connection);
  } finally {
    connection.close();
  }
}
