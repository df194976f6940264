import { stat } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import type { Settings } from '../settings/settings';

interface DatabaseUse {
  /** Including the log. */
  bytes: number;
  /** The write-ahead log; that of a server belongs to all its databases. */
  logBytes: number;
}

/** The space that the database takes on its disk. */
export async function readDatabaseUse(
  { databaseFile, postgresUrl }: Pick<Settings, 'databaseFile' | 'postgresUrl'>,
  source: DataSource,
): Promise<DatabaseUse> {
  if (postgresUrl !== null) {
    const [row] = await source.query<{ bytes: number }[]>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return { bytes: row!.bytes, logBytes: 0 };
  }
  const [database, logBytes] = await Promise.all([sizeOf(databaseFile), sizeOf(`${databaseFile}-wal`)]);
  return { bytes: database + logBytes, logBytes };
}

/** 0 if the file does not exist, as a write-ahead log may not. */
async function sizeOf(file: string): Promise<number> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  return size;
}
