import { readDataPaths } from '../relay/settings/read-settings';
import { orCommandFailed } from './startup-failed';
import { jsonLine, oneLine } from './printable';
import type { SettingsFlags } from './definitions/settings-flags';
import { environmentWith } from './environment';

export async function migrate({ json, ...flags }: SettingsFlags & { json?: boolean }): Promise<void> {
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
