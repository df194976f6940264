import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { StartupError } from '../ground/relay-error';

/** Where a hub was moved to, without a password. */
interface Move {
  to: string;
  at: string;
}

/** The file beside a database that says that its hub was moved. */
const movedMarker = (databaseFile: string) => `${databaseFile}.moved`;

export function markMoved(databaseFile: string, move: Move): void {
  writeFileSync(movedMarker(databaseFile), `${JSON.stringify(move)}\n`, { mode: 0o600, flush: true });
}

/**
 * Two daemons of one hub would deliver everything twice, and each renewal would invalidate the other's tokens.
 * @throws StartupError if the hub of this file was moved
 */
export function assertNotMoved(databaseFile: string): void {
  const marker = movedMarker(databaseFile);
  if (!existsSync(marker)) return;
  const { to, at } = JSON.parse(readFileSync(marker, 'utf8')) as Move;
  throw new StartupError([
    {
      where: 'DATABASE_URL',
      what: `The hub in ${databaseFile} was moved to ${to} at ${at}.`,
      remedy: `Set DATABASE_URL to the address of that database. To go back to the file, which lacks everything since, stop all daemons there and remove ${marker}.`,
    },
  ]);
}
