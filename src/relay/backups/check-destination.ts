import { constants } from 'node:fs';
import { access, lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { lowThreshold, readCapacity } from '../database/disk-space';
import { formatSize } from '../ground/format-size';
import { RelayError } from '../ground/relay-error';

/** What the daemon runs, and serves to everyone: the dashboard. */
const PROGRAM = join(__dirname, '../..');

interface Destination {
  /** As it was given. */
  file: string;
  /** The folder that it must be in; null: any. */
  within: string | null;
  databaseFile: string;
  /** The expected size of the backup. */
  bytes: number;
}

/**
 * Checks that a backup can be written, before anything is.
 * @returns the path of the file, without symbolic links
 * @throws RelayError `path_relative`, 422; `folder_denied`, 422; `file_exists`, 409; `folder_unusable`, 422;
 * `disk_space_low`, 507
 */
export async function checkDestination({ file, within, databaseFile, bytes }: Destination): Promise<string> {
  if (!isAbsolute(file))
    throw new RelayError('path_relative', 422, `${file} is not an absolute path.`, {
      remedy: 'Give the whole path, as the daemon sees it.',
    });
  const folder = await realPath(dirname(file));
  if (isBelow(folder, await realPath(PROGRAM)))
    throw folderDenied(
      `${folder} belongs to the program, which serves files from there.`,
      'Choose a folder outside the program.',
    );
  if (within !== null && !isBelow(folder, await realPath(within)))
    throw folderDenied(
      `With the scope backup alone, ${dirname(file)} is not allowed.`,
      `Choose a file below ${within} (SWITCHBOARD_BACKUP_DIR), or use a token with the scope admin.`,
    );
  const real = join(folder, basename(file));
  if (await lstat(real).catch(() => null))
    throw new RelayError('file_exists', 409, `${file} exists already, and a backup never replaces a file.`, {
      remedy: 'Choose another name, or remove the file first.',
    });
  await access(folder, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new RelayError('folder_unusable', 422, `The daemon cannot write to ${folder} (${error.code}).`, {
      remedy:
        'Create or mount the folder, and give the user of the daemon write access; under systemd, also list it in ReadWritePaths of the service.',
    });
  });
  const space = await readCapacity(folder);
  if (space === null) return real;
  // On its own disk the database must not run out of space because of the copy.
  const reserve = (await areOnOneDisk(folder, dirname(databaseFile))) ? lowThreshold(space.totalBytes) : 0;
  if (space.freeBytes - bytes >= reserve) return real;
  const kept = reserve === 0 ? '' : `, and ${formatSize(reserve)} must stay free for the database`;
  throw new RelayError(
    'disk_space_low',
    507,
    `The backup needs about ${formatSize(bytes)}${kept}, but only ${formatSize(space.freeBytes)} are free in ${folder}.`,
    { remedy: 'Free space there, or write the backup to another disk.' },
  );
}

const folderDenied = (detail: string, remedy: string) =>
  new RelayError('folder_denied', 422, detail, { remedy });

async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  const [{ dev: first }, { dev: second }] = await Promise.all([stat(one), stat(other)]);
  return first === second;
}

/** What cannot be resolved cannot be written to either. */
const realPath = (folder: string) => realpath(folder).catch(() => resolve(folder));

function isBelow(folder: string, parent: string): boolean {
  const [first] = relative(parent, folder).split(sep);
  return first !== '..' && !isAbsolute(relative(parent, folder));
}
