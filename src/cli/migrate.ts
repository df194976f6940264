import { Command } from 'commander';
import { readDataPaths } from '../relay/settings/read-settings';
import { orCommandFailed } from './command-failed';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

const HELP = `
The daemon does the same when it starts; this is for a deployment that migrates first, or whose daemons may not change
tables. With PostgreSQL, daemons of the previous version may keep running meanwhile. With SQLite, none may.

Exit codes:
  0   the tables are those of this version
  1   unexpected error; nothing was changed
  69  PostgreSQL cannot be reached
  78  not migrated: the database cannot be used, or a daemon has locked it; the message says what to change`;

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description('create the tables of the database, or upgrade them to this version')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP);
  return withSettings(command, ['dataDir']).action(migrate);
}

async function migrate({ json, ...flags }: SettingsFlags & { json?: boolean }): Promise<void> {
  const applied = await orCommandFailed('Not migrated', () => run(flags));
  const sentence =
    applied.length === 0 ? 'The tables are those of this version.' : `Applied ${applied.join(', ')}.`;
  process.stdout.write(json ? `${jsonLine({ applied })}\n` : `${oneLine(sentence)}\n`);
}

/** @returns the names of the migrations that were applied */
async function run(flags: SettingsFlags): Promise<string[]> {
  const paths = readDataPaths(environmentWith(flags));
  // Imported here, so that other commands do not load them.
  if (paths.postgresUrl !== null) {
    const { preparePostgres } = await import('../relay/database/postgres/prepare-postgres.js');
    return (await preparePostgres(paths.postgresUrl)).applied;
  }
  const { migrateStoppedDatabase } = await import('../relay/database/sqlite/migrate-stopped-database.js');
  return migrateStoppedDatabase(paths);
}
