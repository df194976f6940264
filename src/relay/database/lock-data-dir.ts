import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefused } from '../relay-error';
import { sqliteDriver } from './sqlite-driver';

/** Another process has it. */
export class DataDirLocked extends StartRefused {}

/**
 * Takes `dataDir` for this process alone. The lock is SQLite's own exclusive file lock on a database without content:
 * the kernel drops it when the process ends, however it ends, so there is no stale lock to clear.
 * @returns releases the lock
 * @throws DataDirLocked when another process holds it, StartRefused when the folder cannot be written
 */
export function lockDataDir(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const lock = new sqliteDriver(join(dataDir, 'lock'), { timeout: 0 });
    try {
      lock.pragma('locking_mode = EXCLUSIVE');
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    throw refusal(dataDir, error as NodeJS.ErrnoException);
  }
}

function refusal(dataDir: string, error: NodeJS.ErrnoException): StartRefused {
  if (error.code === 'SQLITE_BUSY') {
    return new DataDirLocked([
      {
        where: 'DATA_DIR',
        what: `Another Switchboard is running on ${dataDir}.`,
        remedy: 'Stop it, or give this one a DATA_DIR of its own.',
      },
    ]);
  }
  return new StartRefused([
    {
      where: 'DATA_DIR',
      what: `${dataDir} cannot be written (${error.code ?? error.message}).`,
      remedy: 'Make the folder, let this user write to it, or set DATA_DIR to another one.',
    },
  ]);
}
