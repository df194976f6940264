import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { lowThreshold, readCapacity } from '../database/disk-space';
import { formatSize } from '../ground/format-size';
import { RelayError } from '../ground/relay-error';

/**
 * Checks that a backup can be written, before anything is.
 * @param bytes its expected size
 * @throws RelayError `path_relative`, 422; `file_exists`, 409; `folder_unusable`, 422; `disk_space_low`, 507
 */
export async function checkDestination(file: string, databaseFile: string, bytes: number): Promise<void> {
  if (!isAbsolute(file))
    throw new RelayError('path_relative', 422, `${file} is not an absolute path.`, {
      remedy: 'Give the whole path, as the daemon sees it.',
    });
  if (await lstat(file).catch(() => null))
    throw new RelayError('file_exists', 409, `${file} exists already, and a backup never replaces a file.`, {
      remedy: 'Choose another name, or remove the file first.',
    });
  const folder = dirname(file);
  await access(folder, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new RelayError('folder_unusable', 422, `The daemon cannot write to ${folder} (${error.code}).`, {
      remedy:
        'Create or mount the folder, and give the user of the daemon write access; under systemd, also list it in ReadWritePaths of the service.',
    });
  });
  const space = await readCapacity(folder);
  if (space === null) return;
  // On its own disk the database must not run out of space because of the copy.
  const reserve = (await areOnOneDisk(folder, dirname(databaseFile))) ? lowThreshold(space.totalBytes) : 0;
  if (space.freeBytes - bytes >= reserve) return;
  const kept = reserve === 0 ? '' : `, and ${formatSize(reserve)} must stay free for the database`;
  throw new RelayError(
    'disk_space_low',
    507,
    `The backup needs about ${formatSize(bytes)}${kept}, but only ${formatSize(space.freeBytes)} are free in ${folder}.`,
    { remedy: 'Free space there, or write the backup to another disk.' },
  );
}

async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  const [{ dev: first }, { dev: second }] = await Promise.all([stat(one), stat(other)]);
  return first === second;
}
