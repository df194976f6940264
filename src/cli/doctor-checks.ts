import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AlertSummary } from '../contract/alert';
import type { Connection } from '../contract/connection';
import type { EventSummary } from '../contract/event';
import type { Page } from '../contract/page';
import type { Probe } from '../contract/probe';
import type { SettingsView } from '../contract/settings';
import type { Stats } from '../contract/stats';
import type { Subscription } from '../contract/subscription';
import { lowThreshold } from '../relay/database/disk-space';
import { lockDatabase, lockDataDir, Locked } from '../relay/database/locks';
import { assertMigrated } from '../relay/database/migrations/migrations';
import { formatSize } from '../relay/ground/format-size';
import { StartupError } from '../relay/ground/relay-error';
import { isAccessibleToOthers } from '../relay/secrets/private-files';
import { readDataPaths, readSettings, type Environment } from '../relay/settings/read-settings';
import { DaemonClient, DaemonUnavailable } from './daemon-client';
import { describeAlert } from './describe-alert';

/** The result of one check; `ok` is null if it could not run. */
export interface CheckResult {
  name: string;
  ok: boolean | null;
  sentence: string;
  remedy: string | null;
}

type Places = ReturnType<typeof readDataPaths>;

/** An event stored further in the future means that the system clock was set back since. */
const CLOCK_SLACK_MS = 60_000;

const pass = (name: string, sentence: string): CheckResult => ({ name, ok: true, sentence, remedy: null });
const fail = (name: string, sentence: string, remedy: string): CheckResult => ({
  name,
  ok: false,
  sentence,
  remedy,
});
const unknown = (name: string, sentence: string): CheckResult => ({ name, ok: null, sentence, remedy: null });

/** Runs the checks in order, from the settings to the reachability from outside. */
export async function* runChecks(environment: Environment): AsyncGenerator<CheckResult> {
  yield* checkSettings(environment);
  const daemon = await connectToDaemon(environment);
  const places = placesOf(environment);
  if (places !== null) yield* checkDataDir(places, daemon instanceof DaemonClient);
  if (daemon instanceof DaemonClient) yield* checkDaemon(daemon);
  else {
    yield daemon;
    for (const name of ['clock', 'connection', 'subscription', 'probe', 'targets', 'deliveries', 'alerts'])
      yield unknown(name, 'Can only be checked while the daemon is running.');
  }
}

function checkSettings(environment: Environment): CheckResult[] {
  try {
    readSettings(environment);
    return [pass('settings', 'The settings are valid.')];
  } catch (error) {
    return failuresOf('settings', error);
  }
}

/** Null if they are invalid, which the check of the settings already reports. */
function placesOf(environment: Environment): Places | null {
  try {
    return readDataPaths(environment);
  } catch (error) {
    if (error instanceof StartupError) return null;
    throw error;
  }
}

function* checkDataDir({ dataDir, databaseFile }: Places, isRunning: boolean): Generator<CheckResult> {
  if (!existsSync(dataDir)) {
    yield fail(
      'DATA_DIR',
      `${dataDir} does not exist.`,
      'Start the daemon to create it, or set another folder.',
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
  yield checkLock({ dataDir, databaseFile }, isRunning);
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

function checkLock({ dataDir, databaseFile }: Places, isRunning: boolean): CheckResult {
  try {
    lockDataDir(dataDir)();
    if (existsSync(databaseFile)) lockDatabase(databaseFile)();
    return pass('lock', 'Not held: no daemon is running.');
  } catch (error) {
    if (!(error instanceof Locked)) return failuresOf('lock', error)[0]!;
    return isRunning
      ? pass('lock', 'Held by the running daemon.')
      : fail(
          'lock',
          'Another process holds it, but no daemon responds. It may be starting, stopping or hanging, or be another command.',
          'Wait until it has finished, or end it. Until then no daemon can start here.',
        );
  }
}

function checkDatabase(file: string): CheckResult[] {
  if (!existsSync(file))
    return [
      fail('database', `${file} does not exist.`, 'Start the daemon to create it, or set its DATA_DIR.'),
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
  return error.faults.map(({ what, remedy }) => fail(name, what, remedy));
}

/** A client of the daemon, or the failed check if there is none. */
async function connectToDaemon(environment: Environment): Promise<DaemonClient | CheckResult> {
  try {
    const daemon = new DaemonClient(environment);
    await daemon.request('GET', '/readyz');
    return daemon;
  } catch (error) {
    const { message } = error as Error;
    return fail(
      'daemon',
      message,
      error instanceof DaemonUnavailable ? 'Start the daemon.' : 'See the log of the daemon.',
    );
  }
}

async function* checkDaemon(daemon: DaemonClient): AsyncGenerator<CheckResult> {
  yield pass('daemon', 'It is running and ready.');
  yield await checkThroughDaemon('clock', async () =>
    checkClock(await daemon.request<Page<EventSummary>>('GET', '/api/v1/events?limit=1')),
  );
  yield await checkThroughDaemon('connection', async () => {
    const connection = await daemon.request<Connection>('GET', '/api/v1/connection');
    return fromDaemon(
      'connection',
      connection,
      connection.state === 'connected' || connection.state === 'renewing',
    );
  });
  yield await checkThroughDaemon('subscription', async () => {
    const subscription = await daemon.request<Subscription>('GET', '/api/v1/subscription');
    const { state, problem } = subscription;
    return fromDaemon('subscription', subscription, state === 'active' && problem === null);
  });
  yield await checkThroughDaemon('probe', async () => {
    const probe = await daemon.request<Probe>('POST', '/api/v1/subscription/probe');
    return fromDaemon('probe', probe, probe.cause === null);
  });
  yield await checkThroughDaemon('targets', async () =>
    describeTargetPolicy(await daemon.request<SettingsView>('GET', '/api/v1/settings')),
  );
  yield await checkThroughDaemon('deliveries', async () =>
    checkDeadLetters(await daemon.request<Stats>('GET', '/api/v1/stats')),
  );
  yield* await checkAlerts(daemon);
}

/** Targets with a refused address are reported as alerts. */
function describeTargetPolicy({ host, target_allow: allow, target_deny: deny }: SettingsView): CheckResult {
  const note = allow.includes('public')
    ? `, with HOST ${host}; private networks and this machine are refused unless SWITCHBOARD_TARGET_ALLOW lists them`
    : '';
  return pass('targets', `Allowed addresses: ${allow.join(', ')}; denied: ${deny.join(', ')}${note}.`);
}

function checkDeadLetters({ deliveries: { dead } }: Stats): CheckResult {
  if (dead === 0) return pass('deliveries', 'No dead letters.');
  return fail(
    'deliveries',
    `${dead} ${dead === 1 ? 'dead letter' : 'dead letters'}.`,
    'Fix their targets and retry them, or discard them, on the Failures page of the dashboard.',
  );
}

async function checkAlerts(daemon: DaemonClient): Promise<CheckResult[]> {
  try {
    const { data } = await daemon.request<Page<AlertSummary>>('GET', '/api/v1/alerts?limit=200');
    if (data.length === 0) return [pass('alerts', 'No active alerts.')];
    return data.map((alert) => fail('alerts', describeAlert(alert), alert.remedy));
  } catch (error) {
    return [requestFailed('alerts', error)];
  }
}

/** A rejected request is a failed check, too. */
async function checkThroughDaemon(name: string, check: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await check();
  } catch (error) {
    return requestFailed(name, error);
  }
}

const requestFailed = (name: string, error: unknown) =>
  fail(name, (error as Error).message, 'See the log of the daemon.');

function checkClock({ data: [newest] }: Page<EventSummary>): CheckResult {
  if (newest === undefined) return pass('clock', 'There is no event to compare it with.');
  const aheadMs = Date.parse(newest.received_at) - Date.now();
  if (aheadMs <= CLOCK_SLACK_MS) return pass('clock', 'The newest event is in the past.');
  return fail(
    'clock',
    `The newest event was received at ${newest.received_at}, which is in the future.`,
    'The system clock was set back. Synchronize it with NTP.',
  );
}

const fromDaemon = (
  name: string,
  { sentence, remedy }: { sentence: string; remedy: string | null },
  ok: boolean,
): CheckResult => ({ name, ok, sentence, remedy: ok ? null : remedy });
