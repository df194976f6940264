import type Sqlite from 'better-sqlite3';
import { StartupError } from '../ground/relay-error';

export type Connection = Sqlite.Database;
export type SqliteStatement<Row = unknown> = Sqlite.Statement<unknown[], Row>;

export const BUSY_TIMEOUT_MS = 5_000;

/** From Node 24.19 on better-sqlite3 12 aborts the process, on Node 20 version 13 does: each Node has the one that fits. */
const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

/** The driver that every connection uses, TypeORM's included. */
export const sqliteDriver: typeof Sqlite = loadDriver();

function loadDriver(): typeof Sqlite {
  try {
    return NODE_MAJOR >= 22 ? require('better-sqlite3-napi') : require('better-sqlite3');
  } catch (error) {
    throw new StartupError([
      {
        where: 'better-sqlite3',
        what: `The SQLite driver for Node ${process.versions.node} cannot be loaded (${(error as Error).message.split('\n')[0]}).`,
        remedy: 'Run npm ci again under this version of Node.',
      },
    ]);
  }
}

/** Sets what must be set before the first table, then what makes a commit durable when it returns. */
export function prepareWriting(connection: Connection): void {
  connection.pragma('auto_vacuum = INCREMENTAL');
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

export function openReading(file: string): Connection {
  const connection = new sqliteDriver(file, { readonly: true });
  connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return connection;
}

/** SQLite has no booleans; TypeORM's builders pass them as they are. */
export function bindable(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}
