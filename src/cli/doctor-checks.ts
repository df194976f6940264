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

/** One thing that was looked at; `ok` is null where it could not be. */
export interface CheckResult {
  name: string;
  ok: boolean | null;
  sentence: string;
  remedy: string | null;
}

type Places = ReturnType<typeof readDataPaths>;

/** Clocks of one machine do not differ; what was stored further ahead was stored under another time. */
const CLOCK_SLACK_MS = 60_000;

const pass = (name: string, sentence: string): CheckResult => ({ name, ok: true, sentence, remedy: null });
const fail = (name: string, sentence: string, remedy: string): CheckResult => ({
  name,
  ok: false,
  sentence,
  remedy,
});
const unknown = (name: string, sentence: string): CheckResult => ({ name, ok: null, sentence, remedy: null });

/** Looks at one thing after the other, from the settings to the way back from Co-Pilot. */
export async function* runChecks(environment: Environment): AsyncGenerator<CheckResult> {
  yield* checkSettings(environment);
  const daemon = await connectToDaemon(environment);
  const places = placesOf(environment);
  if (places !== null) yield* checkDataDir(places, daemon instanceof DaemonClient);
  if (daemon instanceof DaemonClient) yield* checkDaemon(daemon);
  else {
    yield daemon;
    for (const name of ['clock', 'connection', 'subscription', 'probe', 'targets', 'deliveries', 'alerts'])
      yield unknown(name, 'Only a running daemon can tell.');
  }
}

function checkSettings(environment: Environment): CheckResult[] {
  try {
    readSettings(environment);
    return [pass('settings', 'They can be used.')];
  } catch (error) {
    return failuresOf('settings', error);
  }
}

/** What is wrong with them is told of with the other settings. */
function placesOf(environment: Environment): Places | null {
  try {
    return readDataPaths(environment);
  } catch (error) {
    if (error instanceof StartupError) return null;
    throw error;
  }
}

function* checkDataDir({ dataDir, databaseFile }: Places, answers: boolean): Generator<CheckResult> {
  if (!existsSync(dataDir)) {
    yield fail(
      'DATA_DIR',
      `${dataDir} does not exist.`,
      'Start the daemon, which makes it, or name another.',
    );
    return;
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    yield isAccessibleToOthers(dataDir)
      ? fail(
          'DATA_DIR',
          `${dataDir} can be read and written, and other users of this machine may look into it.`,
          `Close it to them: chmod 700 ${dataDir}`,
        )
      : pass('DATA_DIR', `${dataDir} can be read and written.`);
  } catch {
    yield fail(
      'DATA_DIR',
      `${dataDir} is no folder that can be read and written.`,
      'Run this as the user of the daemon, who owns it, or name another.',
    );
    return;
  }
  yield checkLock({ dataDir, databaseFile }, answers);
  const { bavail, blocks, bsize } = statfsSync(existsSync(databaseFile) ? dirname(databaseFile) : dataDir);
  const free = bavail * bsize;
  const sentence = `${formatSize(free)} are free.`;
  if (free >= lowThreshold(blocks * bsize)) yield pass('disk', sentence);
  else yield fail('disk', sentence, 'Make room, or let SWITCHBOARD_RETENTION_BYTES bound the database.');
  yield* checkDatabase(databaseFile);
}

function checkLock({ dataDir, databaseFile }: Places, answers: boolean): CheckResult {
  try {
    lockDataDir(dataDir)();
    if (existsSync(databaseFile)) lockDatabase(databaseFile)();
    return pass('lock', 'It is free: no daemon runs.');
  } catch (error) {
    if (!(error instanceof Locked)) return failuresOf('lock', error)[0]!;
    return answers
      ? pass('lock', 'The daemon holds it.')
      : fail(
          'lock',
          'Another process holds it, and no daemon answers: one that starts or stops, one that hangs, or another command.',
          'Wait until it is through, or end it: before that no daemon starts here.',
        );
  }
}

function checkDatabase(file: string): CheckResult[] {
  if (!existsSync(file))
    return [
      fail('database', `There is no ${file}.`, 'Start the daemon, which makes it, or name its DATA_DIR.'),
    ];
  try {
    assertMigrated(file);
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const sizes = `It takes ${formatSize(statSync(file).size)}, its log ${formatSize(log)}.`;
    return [pass('database', `${file} can be read and is of this version. ${sizes}`)];
  } catch (error) {
    return failuresOf('database', error);
  }
}

function failuresOf(name: string, error: unknown): CheckResult[] {
  if (!(error instanceof StartupError)) throw error;
  return error.faults.map(({ what, remedy }) => fail(name, what, remedy));
}

/** The daemon, or why it cannot be asked. */
async function connectToDaemon(environment: Environment): Promise<DaemonClient | CheckResult> {
  try {
    const daemon = new DaemonClient(environment);
    await daemon.request('GET', '/readyz');
    return daemon;
  } catch (error) {
    const { message } = error as Error;
    return fail('daemon', message, error instanceof DaemonUnavailable ? 'Start it.' : 'Its log says why.');
  }
}

async function* checkDaemon(daemon: DaemonClient): AsyncGenerator<CheckResult> {
  yield pass('daemon', 'It answers, and can do its work.');
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

/** Those whose address is refused are told of as alerts. */
function describeTargetPolicy({ host, target_allow: allow, target_deny: deny }: SettingsView): CheckResult {
  const narrowed = allow.includes('public')
    ? `, with HOST ${host}; private networks and this machine are refused unless SWITCHBOARD_TARGET_ALLOW names them`
    : '';
  return pass('targets', `They may lie in ${allow.join(', ')}, but not in ${deny.join(', ')}${narrowed}.`);
}

function checkDeadLetters({ deliveries: { dead } }: Stats): CheckResult {
  if (dead === 0) return pass('deliveries', 'None is given up.');
  return fail(
    'deliveries',
    `${dead} deliveries were given up, and have not been sent again since.`,
    'Set their targets right and send them again, or discard them: Failures in the dashboard lists them.',
  );
}

async function checkAlerts(daemon: DaemonClient): Promise<CheckResult[]> {
  try {
    const { data } = await daemon.request<Page<AlertSummary>>('GET', '/api/v1/alerts?limit=200');
    if (data.length === 0) return [pass('alerts', 'None is active.')];
    return data.map((alert) => fail('alerts', describeAlert(alert), alert.remedy));
  } catch (error) {
    return [requestFailed('alerts', error)];
  }
}

/** What the daemon refuses to tell is a finding too. */
async function checkThroughDaemon(name: string, look: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await look();
  } catch (error) {
    return requestFailed(name, error);
  }
}

const requestFailed = (name: string, error: unknown) =>
  fail(name, (error as Error).message, 'The log of the daemon says more.');

function checkClock({ data: [newest] }: Page<EventSummary>): CheckResult {
  if (newest === undefined) return pass('clock', 'No event contradicts it.');
  const aheadMs = Date.parse(newest.received_at) - Date.now();
  if (aheadMs <= CLOCK_SLACK_MS) return pass('clock', 'The newest event is older than now.');
  return fail(
    'clock',
    `The newest event was received at ${newest.received_at}, which is still to come.`,
    'The clock was set back: let it be kept by NTP.',
  );
}

const fromDaemon = (
  name: string,
  { sentence, remedy }: { sentence: string; remedy: string | null },
  ok: boolean,
): CheckResult => ({ name, ok, sentence, remedy: ok ? null : remedy });
