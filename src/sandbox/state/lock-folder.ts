import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { StateError } from './state-error';

/** Each version of Node has the driver that does not end its process. */
const DRIVER = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';

/**
 * Makes the folder and takes it for this process alone. The lock is SQLite's exclusive file lock on a database without
 * content: the kernel drops it when the process ends, however it ends.
 * @returns releases the lock
 * @throws StateRefused when another sandbox holds it, or the folder cannot be written
 */
export function lockFolder(folder: string): () => void {
  const Driver: typeof Sqlite = require(DRIVER);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = new Driver(join(folder, 'lock'), { timeout: 0 });
    try {
      lock.pragma('locking_mode = EXCLUSIVE');
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    throw refusal(folder, error);
  }
}

function refusal(folder: string, error: unknown): StateError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'SQLITE_BUSY') {
    return new StateError(
      `Another sandbox is running on ${folder}.`,
      'Stop it, or give this one a folder of its own.',
    );
  }
  return new StateError(
    `${folder} cannot be written (${code ?? message}).`,
    'Name a folder that this user may write to.',
  );
}
