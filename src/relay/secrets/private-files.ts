import { chmodSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';

/** What the owner's group and everybody else may do. */
const OTHERS = 0o077;
const OWNER_ALONE = 0o600;

/** What the daemon keeps in `DATA_DIR` that is no database; its locks are such. */
const OWN_FILES = ['address', 'admin.token', 'secret.key'];

/** Whether others than its owner may do anything with a file or a folder that is there. Windows has no such modes. */
export function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return process.platform !== 'win32' && found !== undefined && (found.mode & OTHERS) !== 0;
}

/**
 * Takes from others what was left open to them under another umask: the daemon's files in `DATA_DIR`, and the database and its
 * index with their logs and locks. New files are private by the umask of the process.
 */
export function makePrivate({ dataDir, databaseFile }: { dataDir: string; databaseFile: string }): void {
  const { dir, name } = parse(databaseFile);
  const databases = [
    join(dataDir, 'lock'),
    databaseFile,
    `${databaseFile}.lock`,
    join(dir, `${name}-search.db`),
  ];
  const parts = databases.flatMap((file) => ['', '-wal', '-shm', '-journal'].map((ending) => file + ending));
  for (const file of [...OWN_FILES.map((own) => join(dataDir, own)), ...parts]) {
    try {
      if (isOpenToOthers(file)) chmodSync(file, OWNER_ALONE);
    } catch (error) {
      // Its owner is another user, who lets this one use it all the same: it is for him to close.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    }
  }
}
