import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../ground/make-folder';
import { StartupError } from '../../ground/relay-error';
import { sqliteDriver } from './sqlite-driver';

/** Another process holds the lock. */
export class LockHeldError extends StartupError {}

/**
 * Locks a data folder, which is created if necessary.
 * @returns a function that releases the lock
 * @throws LockHeldError if another process holds the lock, StartupError if the folder cannot be written
 */
export function lockDataDir(dataDir: string): () => void {
  return orStartupError({ where: 'DATA_DIR', path: dataDir, kind: 'folder' }, () => {
    makeFolder(dataDir);
    return lock(join(dataDir, 'lock'));
  });
}

/**
 * Locks a database, whichever path or symbolic link leads to it.
 * @param file need not exist yet
 * @returns a function that releases the lock
 * @throws LockHeldError if another process holds the lock, StartupError if the folder cannot be written or
 *   the file has several hard links
 */
export function lockDatabase(file: string): () => void {
  return orStartupError({ where: 'DATABASE_URL', path: file, kind: 'file' }, () => {
    const real = realFile(file);
    rejectHardLinks(real);
    return lock(`${real}.lock`);
  });
}

/** SQLite's exclusive lock on an empty database: the kernel releases it when the process ends, even after a crash. */
function lock(file: string): () => void {
  const connection = new sqliteDriver(file, { timeout: 0 });
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    throw error;
  }
  return () => connection.close();
}

/** The path that SQLite resolves `file` to; the file need not exist yet. */
function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    return realFile(resolve(realpathSync(dirname(file)), readlinkSync(file)));
  const folder = dirname(file);
  makeFolder(folder);
  return join(realpathSync(folder), basename(file));
}

/** For each hard link, SQLite would use a separate write-ahead log, and data in the other logs would be lost. */
function rejectHardLinks(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names === 1) return;
  throw new StartupError({
    where: 'DATABASE_URL',
    what: `${file} has ${names} hard links, so another Switchboard could open it under a different name.`,
    remedy: 'Remove the other links (find -samefile lists them), or use a copy of the file.',
  });
}

function orStartupError(
  { where, path, kind }: { where: string; path: string; kind: string },
  take: () => () => void,
): () => void {
  try {
    return take();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'SQLITE_BUSY')
      throw new LockHeldError({
        where,
        what: `Another Switchboard is using ${path}.`,
        remedy: `Stop it, or set a different ${where} for this one.`,
      });
    const what = `${path} cannot be written (${code ?? message}).`;
    const remedy = `Create the folder, give this user write access, or set ${where} to another ${kind}.`;
    throw new StartupError({ where, what, remedy }, error);
  }
}
