import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { StateError } from './state-error';

/** The driver that works with this version of Node. */
const DRIVER = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';

/**
 * Creates the folder and locks it for this process. The lock is SQLite's exclusive file lock on an empty database,
 * which the kernel releases when the process ends, however it ends.
 * @returns releases the lock
 * @throws StateError if another sandbox holds the lock or the folder is not writable
 */
export function lockFolder(folder: string): () => void {
  const Driver: typeof Sqlite = require(DRIVER);
  try {
    makeFolder(resolve(folder));
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
    throw stateErrorOf(folder, error);
  }
}

/** Node's own `recursive` never returns where the system creates nothing, such as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function stateErrorOf(folder: string, error: unknown): StateError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'SQLITE_BUSY') {
    return new StateError(`Another sandbox is using ${folder}.`, 'Stop it, or use another folder.');
  }
  return new StateError(
    `${folder} is not writable (${code ?? message}).`,
    'Use a folder that this user can write to.',
  );
}
