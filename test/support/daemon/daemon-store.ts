import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpPostgres } from '../databases/dump-postgres';
import { runSql, type TestPostgres } from '../postgres';
import type { Daemon } from './daemon';
import { postgresEnvironment } from './database-environment';

/** The database of a daemon that is a process of its own. */
export interface DaemonStore {
  rows<Row>(sql: string): Promise<Row[]>;
  /** Only while the daemon is stopped. @param sql statements */
  exec(sql: string): Promise<unknown>;
  /** SQL of bytes. */
  bytes(hex: string): string;
  /** To be called after events were inserted. */
  noteNewest(): Promise<unknown>;
  /** Everything in it as text, in which bytes may be in hex. Only after the stop of the daemon. */
  contents(): Promise<string>;
}

/** Where a daemon stores its data. */
export interface DaemonStorage {
  environment: Record<string, string>;
  storeOf: (daemon: Daemon) => DaemonStore;
}

export const onSqlite: DaemonStorage = {
  environment: {},
  storeOf: (daemon) => ({
    rows: (sql) => Promise.resolve(daemon.rows(sql)),
    exec: (sql) => Promise.resolve(daemon.alterDatabase(sql)),
    bytes: (hex) => `x'${hex}'`,
    noteNewest: () => Promise.resolve(),
    contents: async () =>
      readdirSync(daemon.dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1'))
        .join('\n'),
  }),
};

/** In a new database. */
export async function onPostgres(postgres: TestPostgres): Promise<DaemonStorage> {
  const url = await postgres.createMigrated();
  return {
    environment: postgresEnvironment(url),
    storeOf: () => ({
      rows: (sql) => runSql(url, sql),
      exec: (sql) => runSql(url, sql),
      bytes: (hex) => `decode('${hex}', 'hex')`,
      noteNewest: () => runSql(url, 'UPDATE last_event SET seq = (SELECT max(seq) FROM events)'),
      contents: () => dumpPostgres(url),
    }),
  };
}
