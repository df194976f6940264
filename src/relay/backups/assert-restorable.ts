import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { formatSize } from '../ground/format-size';
import { StartupError } from '../ground/relay-error';
import { ADMIN_TOKEN_FILE, SECRET_KEY_FILE } from '../secrets/secret-files';
import type { Settings } from '../settings/settings';

export type RestoreSettings = Pick<Settings, 'dataDir' | 'databaseFile' | 'secretKey'>;

/** How many names of files a message lists. */
const LISTED = 5;

const refusal = (where: string, what: string, remedy: string) => new StartupError({ where, what, remedy });

/** @throws StartupError unless `DATA_DIR` is empty, apart from keys, locks and what a failed restore left */
export function assertEmpty({ dataDir, databaseFile }: RestoreSettings): void {
  if (existsSync(databaseFile))
    throw refusal(
      'DATA_DIR',
      `There is a database already, ${databaseFile}, and a restore never replaces one.`,
      'Set DATA_DIR to an empty folder, or move the old data away, and stop its daemon first.',
    );
  const database = basename(databaseFile);
  const locks = ['lock', `${database}.lock`].flatMap((name) => [name, `${name}-journal`]);
  const ignored = new Set([SECRET_KEY_FILE, ADMIN_TOKEN_FILE, restoringFile(database), ...locks]);
  const found = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => !ignored.has(name)) : [];
  if (found.length === 0) return;
  const listed = found.slice(0, LISTED).join(', ') + (found.length > LISTED ? ', …' : '');
  throw refusal(
    'DATA_DIR',
    `${dataDir} is not empty (${listed}).`,
    `Set DATA_DIR to an empty folder; only ${SECRET_KEY_FILE} and ${ADMIN_TOKEN_FILE} may be there already.`,
  );
}

/** @throws StartupError if the file is missing, or there is more to it than this file */
export function assertBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile())
    throw refusal('backup', `${file} is not a file.`, 'Give the path of a file that backup has written.');
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw refusal(
      'backup',
      `${file} has a write-ahead log, ${basename(file)}-wal: it is the database of a daemon, not a backup.`,
      'Back up the running daemon with switchboard backup, or move its whole DATA_DIR.',
    );
}

/** @throws StartupError if the disk has less space than the backup needs */
export function assertSpace(file: string, databaseFile: string): void {
  const folder = dirname(databaseFile);
  const { bavail, bsize } = statfsSync(folder);
  const { size } = statSync(file);
  if (bavail * bsize >= size) return;
  throw refusal(
    'DATA_DIR',
    `The backup needs ${formatSize(size)}, but only ${formatSize(bavail * bsize)} are free in ${folder}.`,
    'Free space there, or set DATA_DIR to another disk.',
  );
}

/** @throws StartupError if there is no key; a wrong one is found later */
export function assertKeyGiven({ dataDir, secretKey }: RestoreSettings): void {
  const file = join(dataDir, SECRET_KEY_FILE);
  if (secretKey !== null || existsSync(file)) return;
  throw refusal(
    'SWITCHBOARD_SECRET_KEY',
    'The secret key is missing: a backup does not contain it, and its tokens and secrets cannot be read without it.',
    `Copy the ${SECRET_KEY_FILE} of the original to ${file}, or set SWITCHBOARD_SECRET_KEY.`,
  );
}

/** Where a backup is prepared before it gets the name of the database. */
export const restoringFile = (databaseFile: string): string => `${databaseFile}.restoring`;
