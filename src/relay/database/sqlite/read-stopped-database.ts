import { existsSync } from 'node:fs';
import { StartupError } from '../../ground/relay-error';
import type { Settings } from '../../settings/settings';
import { lockDatabase, lockDataDir, LockHeldError } from './locks';
import { assertMigrated } from './read-migrations';
import { openReading, type Connection } from './sqlite-driver';

export type Read = <Row>(statement: [sql: string, parameters: unknown[]]) => Promise<Row[]>;

/** Runs each query at once. */
export const readWith =
  (connection: Connection): Read =>
  async <Row>([sql, parameters]: [sql: string, parameters: unknown[]]) =>
    connection.prepare<unknown[], Row>(sql).all(...parameters);

/**
 * Reads the database of a stopped daemon while holding its locks.
 * @throws StartupError if a daemon is running, or the database is missing or of another version
 */
export async function readStoppedDatabase<Result>(
  { dataDir, databaseFile }: Pick<Settings, 'dataDir' | 'databaseFile'>,
  work: (read: Read, connection: Connection) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(databaseFile)) {
    throw new StartupError({
      where: 'DATA_DIR',
      what: `The database ${databaseFile} does not exist.`,
      remedy: 'Set DATA_DIR or DATABASE_URL to that of the daemon.',
    });
  }
  const unlocks: (() => void)[] = [];
  try {
    unlocks.push(takeLock(dataDir, lockDataDir));
    unlocks.push(takeLock(databaseFile, lockDatabase));
    assertMigrated(databaseFile);
    const connection = openReading(databaseFile);
    try {
      return await work(readWith(connection), connection);
    } finally {
      connection.close();
    }
  } finally {
    for (const unlock of unlocks) unlock();
  }
}

function takeLock(path: string, lock: (path: string) => () => void): () => void {
  try {
    return lock(path);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new StartupError({
      where: 'DATA_DIR',
      what:
        `Another process has locked ${path}, but no daemon responds: it may be starting, stopping or hanging, ` +
        'or it is another command.',
      remedy: 'Wait until it has finished, or stop it, then try again.',
    });
  }
}
