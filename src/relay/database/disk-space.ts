import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import type { Settings } from '../settings/settings';

const GIB = 1024 ** 3;

export interface DiskCapacity {
  freeBytes: number;
  totalBytes: number;
}

/** Space is low below this: 10 % of a disk below 10 GiB, 1 GiB up to 20 GiB, then 5 %, at most 5 GiB. */
export const lowThreshold = (totalBytes: number): number =>
  Math.min(5 * GIB, Math.max(totalBytes / 20, Math.min(GIB, totalBytes / 10)));

/** Below this, events are removed to free space, because writes are about to fail. */
export const criticalThreshold = (totalBytes: number): number => lowThreshold(totalBytes) / 4;

/** The disk that holds the database. */
export class DiskSpace {
  constructor(private readonly settings: Pick<Settings, 'databaseFile' | 'postgresUrl'>) {}

  /** Null if the system does not report it, or the disk is that of a server. */
  async read(): Promise<DiskCapacity | null> {
    const { databaseFile, postgresUrl } = this.settings;
    return postgresUrl === null ? readCapacity(dirname(databaseFile)) : null;
  }
}

/** Null if the system does not report it. */
export async function readCapacity(folder: string): Promise<DiskCapacity | null> {
  const disk = await statfs(folder).catch(() => null);
  return disk && { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

interface DatabaseUse {
  /** With SQLite, including the write-ahead log. */
  bytes: number;
  /** Of the write-ahead log; 0 with PostgreSQL, where it belongs to all databases of the server. */
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
