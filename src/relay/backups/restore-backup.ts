import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Backup } from '../../contract/backup';
import { CopyDamaged, openCopy, removeCopy, syncFile, syncFolder } from '../database/sqlite/database-copy';
import {
  parseRestores,
  SELECT_INSTANCE,
  type InstanceRecord,
  type Restore,
} from '../database/journal/instance-record';
import { lockDatabase, lockDataDir } from '../database/sqlite/locks';
import { readMigrations } from '../database/sqlite/read-migrations';
import { migrateDatabase } from '../database/sqlite/open-database';
import type { Connection } from '../database/sqlite/sqlite-driver';
import type { Clock } from '../ground/clock';
import type { Random } from '../ground/random';
import { StartupError } from '../ground/relay-error';
import { assertKeyOpens } from '../secrets/check-key';
import { Sealer } from '../secrets/sealer';
import { loadSecretKey } from '../secrets/secret-files';
import {
  assertBackup,
  assertEmpty,
  assertKeyGiven,
  assertSpace,
  restoringFile,
  type RestoreSettings,
} from './assert-restorable';
import { describeCopy, storeLatestBackup } from './describe-copy';
import { eraseAgain } from './erase-again';
import { ERASURES_FILE, readErased } from './erased-events-file';

export interface Restored {
  databaseFile: string;
  /** What was restored: `at` is the time up to which the data is complete. */
  backup: Backup;
  /** The migrations that were applied to a backup of an earlier version. */
  upgraded: string[];
  /** Whether the database contains a grant. */
  hasGrant: boolean;
  /** How many events were erased again that had been erased since the backup; null if no file says which. */
  erased: number | null;
}

interface RestoreParts {
  /** Which events to erase again; by default beside the backup, if it is there. */
  erasures?: string | undefined;
  clock: Clock;
  random: Random;
  onStage: (stage: 'copying' | 'upgrading' | 'verifying') => void;
}

/** Ids as random as those of a new database. */
const TAG_BYTES = 5;

/**
 * Whoever was signed in to the original is not signed in to its copy, and an authorization that was in progress
 * cannot be completed.
 */
const ENDED = ['sessions', 'login_links', 'oauth_states'];

/**
 * Restores a backup into an empty `DATA_DIR` under the daemon's locks. The database gets its name only once it is
 * complete, verified, of this version's schema, and on disk.
 * @throws StartupError if the operator has to change something first
 */
export async function restoreBackup(
  file: string,
  settings: RestoreSettings,
  { clock, random, onStage, erasures = join(dirname(file), ERASURES_FILE) }: RestoreParts,
): Promise<Restored> {
  const { dataDir, databaseFile } = settings;
  assertBackup(file);
  assertEmpty(settings);
  assertKeyGiven(settings);
  const unlocks: (() => void)[] = [];
  const copy = restoringFile(databaseFile);
  try {
    unlocks.push(lockDataDir(dataDir), lockDatabase(databaseFile));
    assertSpace(file, databaseFile);
    const sealer = new Sealer(loadSecretKey(settings, random), random);
    onStage('copying');
    removeCopy(copy);
    copyFileSync(file, copy);
    const { applied, missing } = readMigrations(copy, file);
    if (applied.length === 0) throw notOfSwitchboard(file);
    if (missing.length > 0) onStage('upgrading');
    await migrateDatabase(copy);
    const erased = existsSync(erasures) ? eraseAgain(copy, readErased(erasures), clock.now()) : null;
    onStage('verifying');
    const restored = await prepare(copy, file, { sealer, random, now: clock.now() });
    syncFile(copy);
    renameSync(copy, databaseFile);
    syncFolder(dirname(databaseFile));
    return { databaseFile, upgraded: missing, erased, ...restored };
  } finally {
    removeCopy(copy);
    for (const unlock of unlocks.toReversed()) unlock();
  }
}

/** Verifies the copy, and makes it an instance of its own. */
async function prepare(
  copy: string,
  file: string,
  { sealer, random, now }: { sealer: Sealer; random: Random; now: number },
): Promise<Pick<Restored, 'backup' | 'hasGrant'>> {
  const connection = openCopy(copy);
  try {
    const keyCheck = connection.prepare('SELECT key_check FROM instance').pluck().get() as string | null;
    if (keyCheck !== null) assertKeyOpens(keyCheck, sealer);
    const backup = await verified(describeCopy(connection, file, readTime(connection)));
    connection.transaction(() => beginInstance(connection, backup, { now, random }))();
    const hasGrant = connection.prepare('SELECT 1 FROM grants').get() !== undefined;
    return { backup, hasGrant };
  } finally {
    connection.close();
  }
}

/**
 * The time up to which the data is complete, in ms since 1970: the latest that it contains. A backup records its own;
 * for a copy made in another way there are the heartbeat, the clock and the newest event.
 */
function readTime(connection: Connection): number {
  const times = connection
    .prepare<[], { backup: string | null; at: number }>(
      `SELECT last_backup AS backup, max(
         coalesce((SELECT at FROM heartbeat), 0), coalesce((SELECT wall_at FROM clock), 0),
         coalesce((SELECT received_at FROM events ORDER BY seq DESC LIMIT 1), 0)) AS at FROM instance`,
    )
    .get()!;
  if (times.backup === null) return times.at;
  return Math.max(times.at, Date.parse((JSON.parse(times.backup) as Backup).at));
}

/** Draws a new id, under which the daemon also learns that it was restored. */
function beginInstance(
  connection: Connection,
  backup: Backup,
  { now, random }: { now: number; random: Random },
): void {
  const record = connection.prepare(SELECT_INSTANCE).get() as InstanceRecord;
  const restore: Restore = {
    tag: record.tag,
    through_seq: backup.newest_seq,
    backup_at: Date.parse(backup.at),
    restored_at: now,
  };
  connection
    .prepare('UPDATE instance SET tag = ?, restores = ?')
    .run(
      random.bytes(TAG_BYTES).readUIntBE(0, TAG_BYTES),
      JSON.stringify([...parseRestores(record), restore]),
    );
  const [sql, parameters] = storeLatestBackup(backup);
  connection.prepare(sql).run(...parameters);
  for (const table of ENDED) connection.exec(`DELETE FROM ${table}`);
}

async function verified(check: Promise<Backup>): Promise<Backup> {
  try {
    return await check;
  } catch (error) {
    if (!(error instanceof CopyDamaged)) throw error;
    throw new StartupError({
      where: 'backup',
      what: `The backup is damaged: SQLite's integrity check found "${error.message}".`,
      remedy: 'Restore another backup, and check the disk of this one for errors.',
    });
  }
}

const notOfSwitchboard = (file: string) =>
  new StartupError({
    where: 'backup',
    what: `${file} is not a database of Switchboard.`,
    remedy: 'Give the path of a file that backup has written.',
  });
