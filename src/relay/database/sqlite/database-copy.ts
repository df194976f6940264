import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { openReading, sqliteDriver, type Connection } from './sqlite-driver';

/** The copy is damaged: its disk or its memory has failed. */
export class CopyDamaged extends Error {}

/**
 * Writes everything that is stored when it starts into a new file, without free pages. Reads and writes continue
 * meanwhile, but the write-ahead log grows. It cannot be interrupted, except with its process.
 */
export function copyDatabase(file: string, copy: string): void {
  const connection = openReading(file);
  try {
    connection.prepare('VACUUM INTO ?').run(copy);
  } finally {
    connection.close();
  }
}

/** Opens a copy that nothing else uses yet. What is written is on disk only after `syncFile`. */
export function openCopy(file: string): Connection {
  const connection = new sqliteDriver(file);
  connection.pragma('synchronous = OFF');
  return connection;
}

/** Writes a copy anew, without what changed and removed rows have left in it. */
export function rewriteCopy(file: string): void {
  const connection = openCopy(file);
  try {
    connection.exec('VACUUM');
  } finally {
    connection.close();
  }
}

/** @throws CopyDamaged with what SQLite's integrity check found first */
export function assertIntact(connection: Connection): void {
  const [first] = connection.pragma('integrity_check(1)') as { integrity_check: string }[];
  if (first?.integrity_check !== 'ok') throw new CopyDamaged(first?.integrity_check);
}

/** The size of its file, once it is closed. */
export const sizeOf = (connection: Connection): number =>
  Number(connection.pragma('page_count', { simple: true })) *
  Number(connection.pragma('page_size', { simple: true }));

/** Waits until a file is on disk. */
export const syncFile = (file: string): void => sync(file, 'r+');

/** Waits until the names in a folder are on disk, except on Windows, which has no such operation. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r');
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Removes a copy with the journal that SQLite may have left next to it. */
export function removeCopy(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}
