import { existsSync } from 'node:fs';
import { StartupError } from '../ground/relay-error';
import type { Settings } from '../settings/settings';
import { lockDatabase, lockDataDir, Locked } from './locks';
import { assertMigrated } from './migrations/migrations';
import { openReading } from './sqlite-driver';

type Read = <Row>(statement: [sql: string, parameters: unknown[]]) => Promise<Row[]>;

/**
 * Reads the database of a stopped daemon, under its locks.
 * @throws StartupError if a daemon is running, or the database is missing or of another version
 */
export async function readStoppedDatabase<Result>(
  { dataDir, databaseFile }: Pick<Settings, 'dataDir' | 'databaseFile'>,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(databaseFile)) {
    throw new StartupError([
      {
        where: 'DATA_DIR',
        what: `There is no database ${databaseFile}.`,
        remedy: 'Name the DATA_DIR of the daemon, or its DATABASE_URL.',
      },
    ]);
  }
  const unlocks: (() => void)[] = [];
  try {
    unlocks.push(whereNoneRuns(dataDir, lockDataDir));
    unlocks.push(whereNoneRuns(databaseFile, lockDatabase));
    assertMigrated(databaseFile);
    const connection = openReading(databaseFile);
    try {
      return await work(async <Row>([sql, parameters]: [sql: string, parameters: unknown[]]) =>
        connection.prepare<unknown[], Row>(sql).all(...parameters),
      );
    } finally {
      connection.close();
    }
  } finally {
    for (const unlock of unlocks) unlock();
  }
}

function whereNoneRuns(path: string, lock: (path: string) => () => void): () => void {
  try {
    return lock(path);
  } catch (error) {
    if (!(error instanceof Locked)) throw error;
    throw new StartupError([
      {
        where: 'DATA_DIR',
        what: `Another process holds ${path}, and no daemon there answers: one that starts or stops, one that hangs, or another command.`,
        remedy: 'Wait until it is through, or end it, then ask again.',
      },
    ]);
  }
}
