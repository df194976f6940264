import { existsSync } from 'node:fs';
import { StartRefused } from '../relay-error';
import type { Settings } from '../settings/settings';
import { DataDirLocked, lockDataDir } from './lock-data-dir';
import { assertMigrated } from './migrations';
import { openReading } from './sqlite-driver';

type Read = <Row>(statement: [sql: string, parameters: unknown[]]) => Promise<Row[]>;

/**
 * Reads the database of a daemon that does not run, under its lock.
 * @throws StartRefused where a daemon runs, or the database is not there or is another version's
 */
export async function readStoppedDatabase<Result>(
  { dataDir, databaseFile }: Pick<Settings, 'dataDir' | 'databaseFile'>,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(databaseFile)) {
    throw new StartRefused([
      {
        where: 'DATA_DIR',
        what: `There is no database ${databaseFile}.`,
        remedy: 'Name the DATA_DIR of the daemon, or its DATABASE_URL.',
      },
    ]);
  }
  const unlock = lockForReading(dataDir);
  try {
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
    unlock();
  }
}

function lockForReading(dataDir: string): () => void {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (!(error instanceof DataDirLocked)) throw error;
    throw new StartRefused([
      {
        where: 'DATA_DIR',
        what: `Another process holds ${dataDir}, and no daemon there answers: one that starts or stops, one that hangs, or another command.`,
        remedy: 'Wait until it is through, or end it, then ask again.',
      },
    ]);
  }
}
