import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lowThreshold } from '../relay/database/disk-space';
import { lockDatabase, lockDataDir, LockHeldError } from '../relay/database/sqlite/locks';
import { assertMigrated } from '../relay/database/sqlite/read-migrations';
import { sqliteDriver } from '../relay/database/sqlite/sqlite-driver';
import { formatSize } from '../relay/ground/format-size';
import { systemRandom } from '../relay/ground/random';
import { StartupError } from '../relay/ground/relay-error';
import { assertKeyOpens } from '../relay/secrets/check-key';
import { isAccessibleToOthers } from '../relay/secrets/private-files';
import { Sealer } from '../relay/secrets/sealer';
import { loadSecretKey } from '../relay/secrets/secret-files';
import { readDataPaths, readSettings, type Environment } from '../relay/settings/read-settings';
import type { Settings } from '../relay/settings/settings';
import { checkDaemon, DAEMON_CHECKS } from './check-daemon';
import { fail, pass, unknown, type CheckResult } from './check-result';
import { doubtsAbout } from './environment';
import type { HubClient } from './remote/hub-client';
import { isUnreachable } from './remote/hub-failures';

/** Whoever asks for a diagnosis wants it soon. */
const READY_TIMEOUT_MS = 10_000;

type DataPaths = ReturnType<typeof readDataPaths>;

/** Runs the checks one after the other, so that each result can be shown at once. */
export async function* runChecks(daemon: HubClient, environment: Environment): AsyncGenerator<CheckResult> {
  const failed = await checkReadiness(daemon);
  const isRunning = failed === null;
  yield* checkSettings(environment, isRunning);
  const paths = dataPathsOf(environment);
  if (paths !== null) yield* checkDataDir(paths, isRunning);
  if (failed === null) yield* checkDaemon(daemon);
  else {
    yield* checkKey(environment);
    yield failed;
    for (const name of DAEMON_CHECKS) yield unknown(name, 'Can only be checked while the daemon is running.');
  }
}

/** A daemon under a service manager has its settings from there, so the environment of the command may lack them. */
function checkSettings(environment: Environment, isRunning: boolean): CheckResult[] {
  const doubts = doubtsAbout(environment).map(({ what, remedy }) => fail('settings', what, remedy));
  if (isRunning && !Object.keys(environment).some((name) => name.startsWith('COPILOT_')))
    return [
      unknown(
        'settings',
        'This command was not given the settings of the daemon, which accepted them when it started.',
      ),
      ...doubts,
    ];
  try {
    readSettings(environment);
    return doubts.length > 0 ? doubts : [pass('settings', 'The settings are valid.')];
  } catch (error) {
    return [...failuresOf('settings', error), ...doubts];
  }
}

/** Null if the settings are invalid, which the check of the settings already reports. */
function dataPathsOf(environment: Environment): DataPaths | null {
  try {
    return readDataPaths(environment);
  } catch (error) {
    if (error instanceof StartupError) return null;
    throw error;
  }
}

async function* checkDataDir(
  { dataDir, databaseFile, postgresUrl }: DataPaths,
  isRunning: boolean,
): AsyncGenerator<CheckResult> {
  if (!existsSync(dataDir)) {
    yield fail(
      'DATA_DIR',
      `${dataDir} does not exist.`,
      'Start the daemon, which creates it, or set another folder.',
    );
    return;
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    yield isAccessibleToOthers(dataDir)
      ? fail(
          'DATA_DIR',
          `${dataDir} is readable and writable, but also accessible to other users of this machine.`,
          `Restrict access: chmod 700 ${dataDir}`,
        )
      : pass('DATA_DIR', `${dataDir} is readable and writable.`);
  } catch {
    yield fail(
      'DATA_DIR',
      `${dataDir} is not a readable and writable folder.`,
      'Run the command as the user that runs the daemon, or set another folder.',
    );
    return;
  }
  yield checkLock({ dataDir, databaseFile, postgresUrl }, isRunning);
  if (postgresUrl === null) yield* checkDisk(dataDir, databaseFile);
  else {
    yield unknown('disk', 'Not available on PostgreSQL: the database is on the disk of its server.');
    yield* await checkPostgres(postgresUrl);
  }
}

/** Only while no daemon runs, which checks it when it starts. Other faults are reported by other checks. */
function checkKey(environment: Environment): CheckResult[] {
  let settings: Settings;
  try {
    settings = readSettings(environment);
  } catch {
    return [];
  }
  if (settings.postgresUrl !== null || !existsSync(settings.databaseFile)) return [];
  try {
    const key = loadSecretKey(settings, systemRandom);
    const connection = new sqliteDriver(settings.databaseFile, { readonly: true });
    try {
      const keyCheck = connection.prepare<[], string | null>('SELECT key_check FROM instance').pluck().get();
      if (keyCheck) assertKeyOpens(keyCheck, new Sealer(key, systemRandom));
    } finally {
      connection.close();
    }
    return [pass('secret key', 'It is the one that the database was encrypted with.')];
  } catch (error) {
    return error instanceof StartupError ? failuresOf('secret key', error) : [];
  }
}

function* checkDisk(dataDir: string, databaseFile: string): Generator<CheckResult> {
  const { bavail, blocks, bsize } = statfsSync(existsSync(databaseFile) ? dirname(databaseFile) : dataDir);
  const free = bavail * bsize;
  const sentence = `${formatSize(free)} of disk space are free.`;
  if (free >= lowThreshold(blocks * bsize)) yield pass('disk', sentence);
  else
    yield fail(
      'disk',
      sentence,
      'Free disk space, or limit the size of the database with SWITCHBOARD_RETENTION_BYTES.',
    );
  yield* checkDatabase(databaseFile);
}

function checkLock({ dataDir, databaseFile, postgresUrl }: DataPaths, isRunning: boolean): CheckResult {
  try {
    lockDataDir(dataDir)();
    if (postgresUrl === null && existsSync(databaseFile)) lockDatabase(databaseFile)();
    return pass('lock', 'The lock is free: no daemon is running.');
  } catch (error) {
    if (!(error instanceof LockHeldError)) return failuresOf('lock', error)[0]!;
    return isRunning
      ? pass('lock', 'The running daemon holds the lock.')
      : fail(
          'lock',
          'Another process holds the lock, but no daemon responds. It may be a daemon that is starting, stopping or hanging, or another command.',
          'Wait until that process has ended, or end it. Until then no daemon can start here.',
        );
  }
}

async function checkPostgres(url: string): Promise<CheckResult[]> {
  // Imported here, so that a check on SQLite does not load it.
  const { inspectPostgres } = await import('../relay/database/postgres/prepare-postgres.js');
  try {
    const name = await inspectPostgres(url);
    return [
      pass(
        'database',
        `PostgreSQL can be used, and ${name} has the schema of this version. It has no text index: a search for text reads every event in its range of time, unless it names an entity or a single type.`,
      ),
    ];
  } catch (error) {
    return failuresOf('database', error);
  }
}

function checkDatabase(file: string): CheckResult[] {
  if (!existsSync(file))
    return [
      fail(
        'database',
        `${file} does not exist.`,
        'Start the daemon, which creates it, or set DATA_DIR to its folder.',
      ),
    ];
  try {
    assertMigrated(file);
    const walSize = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const sizes = `Size: ${formatSize(statSync(file).size)}, write-ahead log: ${formatSize(walSize)}.`;
    return [pass('database', `${file} is readable and has the schema of this version. ${sizes}`)];
  } catch (error) {
    return failuresOf('database', error);
  }
}

function failuresOf(name: string, error: unknown): CheckResult[] {
  if (!(error instanceof StartupError)) throw error;
  return error.errors.map(({ what, remedy }) => fail(name, what, remedy));
}

/** The failed check; null if the daemon is running and ready. */
async function checkReadiness(daemon: HubClient): Promise<CheckResult | null> {
  try {
    await daemon.request('GET', '/readyz', { timeoutMs: READY_TIMEOUT_MS });
    return null;
  } catch (error) {
    if (isUnreachable(error)) return fail('daemon', error.detail, error.remedy);
    return fail('daemon', (error as Error).message, 'See the log of the daemon.');
  }
}
