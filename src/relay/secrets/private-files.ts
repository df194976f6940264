import { chmodSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';

/** The permission bits of group and others. */
const GROUP_AND_OTHERS = 0o077;
const OWNER_ONLY = 0o600;

/** The daemon's files in `DATA_DIR` that are not SQLite databases. */
const PLAIN_FILES = ['address', 'admin.token', 'secret.key'];

/** Whether group or others have any permission on an existing file or folder. Windows has no such modes. */
export function isAccessibleToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return process.platform !== 'win32' && found !== undefined && (found.mode & GROUP_AND_OTHERS) !== 0;
}

/**
 * Restricts files created under another umask to their owner: the daemon's files in `DATA_DIR`, the database and its
 * text index with their logs and locks. New files are private by the umask of the process.
 */
export function makePrivate({ dataDir, databaseFile }: { dataDir: string; databaseFile: string }): void {
  const { dir, name } = parse(databaseFile);
  // The lock files are SQLite databases too.
  const databases = [
    join(dataDir, 'lock'),
    databaseFile,
    `${databaseFile}.lock`,
    join(dir, `${name}-search.db`),
  ];
  const databaseFiles = databases.flatMap((file) =>
    ['', '-wal', '-shm', '-journal'].map((suffix) => file + suffix),
  );
  for (const file of [...PLAIN_FILES.map((plain) => join(dataDir, plain)), ...databaseFiles]) {
    try {
      if (isAccessibleToOthers(file)) chmodSync(file, OWNER_ONLY);
    } catch (error) {
      // A file of another user: its permissions are that user's decision.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    }
  }
}
