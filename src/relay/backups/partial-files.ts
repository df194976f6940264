import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** With the journal that SQLite may have left next to it. */
const PARTIAL = /^(.*)\.bak_[0-9a-z]{26}\.partial(?:-journal)?$/;

/** The path of a copy until it is verified and on disk. @param id of its run: another one never uses the path */
export const partialPath = (file: string, id: string): string => `${file}.${id}.partial`;

/**
 * Removes copies that were never completed, because their daemon was killed.
 * @param isOurs receives the names that the copies would have got
 */
export async function removePartials(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, final] = PARTIAL.exec(name) ?? [];
    if (final !== undefined && isOurs(final)) await rm(join(folder, name), { force: true });
  }
}
