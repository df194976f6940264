import { join } from 'node:path';
import type { Moved } from '../relay/move/move-database';
import { systemClock } from '../relay/ground/clock';
import { StartupError } from '../relay/ground/relay-error';
import { readDataPaths } from '../relay/settings/read-settings';
import { orCommandFailed } from './startup-failed';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { SettingsFlags } from './definitions/settings-flags';
import { environmentWith } from './environment';

const STAGES = { continuing: 'Continuing an interrupted move …', verifying: 'Verifying …' };

const REPORT_EVERY_MS = 1_000;

interface MoveFlags extends SettingsFlags {
  to: string;
  json?: boolean;
}

export async function move({ to, json, ...flags }: MoveFlags): Promise<void> {
  // Imported here, so that other commands do not load it.
  const { moveDatabase } = await import('../relay/move/move-database.js');
  const { paths, url } = await orCommandFailed('Not moved', () => readAddresses(flags, to));
  let reportAt = 0;
  const moved = await orCommandFailed('Not moved', () =>
    moveDatabase(paths, url, {
      clock: systemClock,
      onStage: (stage) => process.stderr.write(`${STAGES[stage]}\n`),
      onCopied: (table, done, total) => {
        if (done < total && performance.now() < reportAt) return;
        reportAt = performance.now() + REPORT_EVERY_MS;
        process.stderr.write(`${table}: ${done} of ${total} rows\n`);
      },
    }),
  );
  const notes = notesOn(paths);
  process.stdout.write(
    json
      ? `${jsonLine({ ...moved, notes })}\n`
      : `${oneLine(describe(moved))}\n${notes.map((note) => `${oneLine(note)}\n`).join('')}`,
  );
  if (!moved.ledger.balanced) process.exitCode = EXIT.inconsistent;
}

type DataPaths = ReturnType<typeof readDataPaths>;

/** @throws StartupError */
function readAddresses(flags: SettingsFlags, to: string): { paths: DataPaths; url: string } {
  const environment = environmentWith(flags);
  const { postgresUrl: url } = readDataPaths({ ...environment, DATABASE_URL: to });
  if (url === null)
    throw new StartupError({
      where: '--to',
      what: 'It is not the address of a database in PostgreSQL.',
      remedy: 'Give postgres://<user>:<password>@<host>/<database>.',
    });
  const paths = readDataPaths(environment);
  if (paths.postgresUrl !== null)
    throw new StartupError({
      where: 'DATABASE_URL',
      what: 'It is the address of a database in PostgreSQL already.',
      remedy: 'Set it to the file to move, sqlite:<path>, or remove it for the one in DATA_DIR.',
    });
  return { paths, url };
}

function describe({ to, rows, ledger }: Moved): string {
  const { events = 0, deliveries = 0, attempts = 0 } = rows;
  return [
    `Moved ${events} events, ${deliveries} deliveries and ${attempts} attempts to ${to}.`,
    ledger.balanced
      ? 'Verified: both databases have the same rows, and the consistency check found no problem in either.'
      : `Both databases have the same rows. The consistency check found the same problems in both (${ledger.found}): switchboard doctor --ledger lists them.`,
  ].join(' ');
}

/** What to do next. */
const notesOn = ({ dataDir, databaseFile }: DataPaths): string[] => [
  `Start the daemon with DATABASE_URL set to that address, SWITCHBOARD_SECRET_KEY to the content of ${join(dataDir, 'secret.key')}, and SWITCHBOARD_ADMIN_TOKEN to that of ${join(dataDir, 'admin.token')}.`,
  `${databaseFile} is unchanged. No daemon starts on it, since two of one hub would invalidate each other's tokens; remove it once the new one works.`,
];
