import type Sqlite from 'better-sqlite3';
import { describeMachineFault } from '../../ground/machine-faults';
import { StartupError } from '../../ground/relay-error';

export type Connection = Sqlite.Database;
export type SqliteStatement<Row = unknown> = Sqlite.Statement<unknown[], Row>;

export const BUSY_TIMEOUT_MS = 5_000;

/** A limit in a prepared statement. The `+` hides it from the planner, which plans anew whenever a plain `?` is bound. */
export const LIMIT = 'LIMIT +?';

/**
 * better-sqlite3 12 aborts the process on Node 24.19 and later, version 13 on Node 20; so each gets the version that
 * works. Both are optional packages: the other one must not make an installation fail.
 */
const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

/** The driver for every connection, including those of TypeORM. */
export const sqliteDriver: typeof Sqlite = loadDriver();

function loadDriver(): typeof Sqlite {
  try {
    return NODE_MAJOR >= 22 ? require('better-sqlite3-napi') : require('better-sqlite3');
  } catch (error) {
    const isShortage = /EMFILE|ENFILE|open files/.test((error as Error).message);
    throw new StartupError({
      where: 'better-sqlite3',
      what: `The SQLite driver for Node ${process.versions.node} cannot be loaded (${(error as Error).message.split('\n')[0]}).`,
      remedy: isShortage
        ? describeMachineFault('EMFILE')!.remedy
        : 'Run npm ci (in a clone) or npm install (of the package) again under this version of Node. Before Node 22, that downloads the driver from GitHub or compiles it, which docs/first-run.md explains.',
    });
  }
}

/** Prepares for writing: `auto_vacuum` precedes the first table; FULL makes a commit durable when it returns. */
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

/** SQLite has no booleans, but TypeORM's query builders pass them unchanged. */
export function bindable(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}
