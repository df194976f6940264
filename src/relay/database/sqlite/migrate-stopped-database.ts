import type { Settings } from '../../settings/settings';
import { lockDatabase, lockDataDir } from './locks';
import { migrateDatabase } from './open-database';

/**
 * Creates or upgrades the database of a stopped daemon while holding its locks.
 * @returns the names of the migrations that were applied
 * @throws StartupError if a daemon is running, or this version cannot use the database
 */
export async function migrateStoppedDatabase({
  dataDir,
  databaseFile,
}: Pick<Settings, 'dataDir' | 'databaseFile'>): Promise<string[]> {
  const unlocks = [lockDataDir(dataDir)];
  try {
    unlocks.push(lockDatabase(databaseFile));
    return await migrateDatabase(databaseFile);
  } finally {
    for (const unlock of unlocks.toReversed()) unlock();
  }
}
