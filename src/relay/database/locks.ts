import { lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StartupError } from '../ground/relay-error';
import { sqliteDriver } from './sqlite-driver';

/** Another process has it. */
export class Locked extends StartupError {}

/**
 * Takes a data folder for this process alone.
 * @returns releases the lock
 * @throws Locked when another process holds it, StartupError when the folder cannot be written
 */
export function lockDataDir(dataDir: string): () => void {
  return refusing({ where: 'DATA_DIR', path: dataDir, other: 'folder' }, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return lock(join(dataDir, 'lock'));
  });
}

/**
 * Takes a database for this process alone, by whatever path or symbolic link it is reached.
 * @param file may not be there yet
 * @returns releases the lock
 * @throws Locked when another process holds it, StartupError when its folder cannot be written or it has several names
 */
export function lockDatabase(file: string): () => void {
  return refusing({ where: 'DATABASE_URL', path: file, other: 'file' }, () => {
    const real = realFile(file);
    refuseSecondName(real);
    return lock(`${real}.lock`);
  });
}

/**
 * SQLite's own exclusive file lock on a database without content: the kernel drops it when the process ends, however it
 * ends, so there is no stale lock to clear.
 */
function lock(file: string): () => void {
  const held = new sqliteDriver(file, { timeout: 0 });
  try {
    held.pragma('locking_mode = EXCLUSIVE');
    held.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    held.close();
    throw error;
  }
  return () => held.close();
}

/** The file that SQLite opens for `file`, which may not be there yet. */
function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    return realFile(resolve(realpathSync(dirname(file)), readlinkSync(file)));
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(realpathSync(folder), basename(file));
}

/** Under each of several hard links SQLite would keep a log of its own, and lose what is in the others'. */
function refuseSecondName(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names === 1) return;
  throw new StartupError([
    {
      where: 'DATABASE_URL',
      what: `${file} has ${names} names (hard links), so another Switchboard could use it under another of them.`,
      remedy: 'Remove the others (find -samefile names them), or copy the file.',
    },
  ]);
}

function refusing(what: { where: string; path: string; other: string }, take: () => () => void): () => void {
  try {
    return take();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw refusal(what, error as NodeJS.ErrnoException);
  }
}

function refusal(
  { where, path, other }: { where: string; path: string; other: string },
  { code, message }: NodeJS.ErrnoException,
): StartupError {
  if (code === 'SQLITE_BUSY') {
    return new Locked([
      {
        where,
        what: `Another Switchboard is running on ${path}.`,
        remedy: `Stop it, or give this one a ${where} of its own.`,
      },
    ]);
  }
  return new StartupError([
    {
      where,
      what: `${path} cannot be written (${code ?? message}).`,
      remedy: `Make the folder, let this user write to it, or set ${where} to another ${other}.`,
    },
  ]);
}
