import { join } from 'node:path';
import { Command } from 'commander';
import type { Moved } from '../relay/move/move-database';
import { systemClock } from '../relay/ground/clock';
import { StartupError } from '../relay/ground/relay-error';
import { readDataPaths } from '../relay/settings/read-settings';
import { orCommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

const HELP = `
The daemon must be stopped; the database in PostgreSQL must be empty. All ids, cursors and tokens stay valid. A move that was
interrupted continues when it is run again. The file is not changed, but no daemon starts on it after the move. Other users
of this machine can see a password in the address: use PGPASSWORD or a password file instead.

Exit codes:
  0   moved and verified
  1   unexpected error; run it again to continue
  65  moved, but the consistency check found problems in the data, as in the file: see doctor --ledger
  69  PostgreSQL cannot be reached, or a daemon uses the database; run it again to continue
  78  not moved: a daemon is running, or a database cannot be used; the message says what to change`;

const STAGES = { continuing: 'Continuing an interrupted move …', verifying: 'Verifying …' };

const REPORT_EVERY_MS = 1_000;

interface MoveFlags extends SettingsFlags {
  to: string;
  json?: boolean;
}

export function moveCommand(): Command {
  const command = new Command('move')
    .description('copy a stopped hub from its SQLite file to an empty database in PostgreSQL')
    .requiredOption('--to <address>', 'postgres://<user>:<password>@<host>/<database>')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP);
  return withSettings(command, ['dataDir']).action(move);
}

async function move({ to, json, ...flags }: MoveFlags): Promise<void> {
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
    throw new StartupError([
      {
        where: '--to',
        what: 'It is not the address of a database in PostgreSQL.',
        remedy: 'Give postgres://<user>:<password>@<host>/<database>.',
      },
    ]);
  const paths = readDataPaths(environment);
  if (paths.postgresUrl !== null)
    throw new StartupError([
      {
        where: 'DATABASE_URL',
        what: 'It is the address of a database in PostgreSQL already.',
        remedy: 'Set it to the file to move, sqlite:<path>, or remove it for the one in DATA_DIR.',
      },
    ]);
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
