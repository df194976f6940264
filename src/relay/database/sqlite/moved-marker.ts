import { existsSync, readFileSync } from 'node:fs';
import { StartupError } from '../../ground/relay-error';
import { replaceFile } from '../../ground/replace-file';

/** Where a hub was moved to, without a password. */
interface Move {
  to: string;
  at: string;
}

/** The file beside a database that says that its hub was moved. */
const movedMarker = (databaseFile: string) => `${databaseFile}.moved`;

/** @throws StartupError if the file cannot be written */
export function markMoved(databaseFile: string, move: Move): void {
  const marker = movedMarker(databaseFile);
  try {
    replaceFile(marker, `${JSON.stringify(move)}\n`);
  } catch (error) {
    throw new StartupError({
      where: 'DATA_DIR',
      what: `${marker} cannot be written (${(error as NodeJS.ErrnoException).code}): it keeps daemons from starting on the file after the move.`,
      remedy: 'Free disk space, or make the folder writable. Then run the command again: it continues.',
    });
  }
}

/**
 * Two daemons of one hub would deliver everything twice, and each renewal would invalidate the other's tokens.
 * @param unfinished the address of a move that has not ended yet
 * @throws StartupError if the hub of this file was moved elsewhere
 */
export function assertNotMoved(databaseFile: string, unfinished: string | null = null): void {
  const marker = movedMarker(databaseFile);
  if (!existsSync(marker)) return;
  const { to, at } = JSON.parse(readFileSync(marker, 'utf8')) as Move;
  if (to === unfinished) return;
  throw new StartupError({
    where: 'DATABASE_URL',
    what: `The hub in ${databaseFile} was moved to ${to} at ${at}.`,
    remedy: `Set DATABASE_URL to the address of that database. To go back to the file, which lacks everything since, stop all daemons there and remove ${marker}.`,
  });
}
