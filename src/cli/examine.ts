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
export interface Diagnosis {
  name: string;
  ok: boolean | null;
  sentence: string;
  remedy: string | null;
}

type Places = ReturnType<typeof readDataPaths>;

/** Clocks of one machine do not differ; what was stored further ahead was stored under another time. */
const CLOCK_SLACK_MS = 60_000;

const good = (name: string, sentence: string): Diagnosis => ({ name, ok: true, sentence, remedy: null });
const bad = (name: string, sentence: string, remedy: string): Diagnosis => ({
  name,
  ok: false,
  sentence,
  remedy,
});
const unknown = (name: string, sentence: string): Diagnosis => ({ name, ok: null, sentence, remedy: null });

/** Looks at one thing after the other, from the settings to the way back from Co-Pilot. */
export async function* examine(environment: Environment): AsyncGenerator<Diagnosis> {
  yield* examineSettings(environment);
  const daemon = await reach(environment);
  const places = placesOf(environment);
  if (places !== null) yield* examineFolder(places, daemon instanceof DaemonClient);
  if (daemon instanceof DaemonClient) yield* examineDaemon(daemon);
  else {
    yield daemon;
    for (const name of ['clock', 'connection', 'subscription', 'probe', 'targets', 'deliveries', 'alerts'])
      yield unknown(name, 'Only a running daemon can tell.');
  }
}

function examineSettings(environment: Environment): Diagnosis[] {
  try {
    readSettings(environment);
    return [good('settings', 'They can be used.')];
  } catch (error) {
    return refused('settings', error);
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

function* examineFolder({ dataDir, databaseFile }: Places, answers: boolean): Generator<Diagnosis> {
  if (!existsSync(dataDir)) {
    yield bad('DATA_DIR', `${dataDir} does not exist.`, 'Start the daemon, which makes it, or name another.');
    return;
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    yield isAccessibleToOthers(dataDir)
      ? bad(
          'DATA_DIR',
          `${dataDir} can be read and written, and other users of this machine may look into it.`,
          `Close it to them: chmod 700 ${dataDir}`,
        )
      : good('DATA_DIR', `${dataDir} can be read and written.`);
  } catch {
    yield bad(
      'DATA_DIR',
      `${dataDir} is no folder that can be read and written.`,
      'Run this as the user of the daemon, who owns it, or name another.',
    );
    return;
  }
  yield examineLock({ dataDir, databaseFile }, answers);
  const { bavail, blocks, bsize } = statfsSync(existsSync(databaseFile) ? dirname(databaseFile) : dataDir);
  const free = bavail * bsize;
  const sentence = `${formatSize(free)} are free.`;
  if (free >= lowThreshold(blocks * bsize)) yield good('disk', sentence);
  else yield bad('disk', sentence, 'Make room, or let SWITCHBOARD_RETENTION_BYTES bound the database.');
  yield* examineDatabase(databaseFile);
}

function examineLock({ dataDir, databaseFile }: Places, answers: boolean): Diagnosis {
  try {
    lockDataDir(dataDir)();
    if (existsSync(databaseFile)) lockDatabase(databaseFile)();
    return good('lock', 'It is free: no daemon runs.');
  } catch (error) {
    if (!(error instanceof Locked)) return refused('lock', error)[0]!;
    return answers
      ? good('lock', 'The daemon holds it.')
      : bad(
          'lock',
          'Another process holds it, and no daemon answers: one that starts or stops, one that hangs, or another command.',
          'Wait until it is through, or end it: before that no daemon starts here.',
        );
  }
}

function examineDatabase(file: string): Diagnosis[] {
  if (!existsSync(file))
    return [
      bad('database', `There is no ${file}.`, 'Start the daemon, which makes it, or name its DATA_DIR.'),
    ];
  try {
    assertMigrated(file);
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const sizes = `It takes ${formatSize(statSync(file).size)}, its log ${formatSize(log)}.`;
    return [good('database', `${file} can be read and is of this version. ${sizes}`)];
  } catch (error) {
    return refused('database', error);
  }
}

function refused(name: string, error: unknown): Diagnosis[] {
  if (!(error instanceof StartupError)) throw error;
  return error.faults.map(({ what, remedy }) => bad(name, what, remedy));
}

/** The daemon, or why it cannot be asked. */
async function reach(environment: Environment): Promise<DaemonClient | Diagnosis> {
  try {
    const daemon = new DaemonClient(environment);
    await daemon.request('GET', '/readyz');
    return daemon;
  } catch (error) {
    const { message } = error as Error;
    return bad('daemon', message, error instanceof DaemonUnavailable ? 'Start it.' : 'Its log says why.');
  }
}

async function* examineDaemon(daemon: DaemonClient): AsyncGenerator<Diagnosis> {
  yield good('daemon', 'It answers, and can do its work.');
  yield await asked('clock', async () =>
    examineClock(await daemon.request<Page<EventSummary>>('GET', '/api/v1/events?limit=1')),
  );
  yield await asked('connection', async () => {
    const connection = await daemon.request<Connection>('GET', '/api/v1/connection');
    return told(
      'connection',
      connection,
      connection.state === 'connected' || connection.state === 'renewing',
    );
  });
  yield await asked('subscription', async () => {
    const subscription = await daemon.request<Subscription>('GET', '/api/v1/subscription');
    const { state, problem } = subscription;
    return told('subscription', subscription, state === 'active' && problem === null);
  });
  yield await asked('probe', async () => {
    const probe = await daemon.request<Probe>('POST', '/api/v1/subscription/probe');
    return told('probe', probe, probe.cause === null);
  });
  yield await asked('targets', async () =>
    describeTargets(await daemon.request<SettingsView>('GET', '/api/v1/settings')),
  );
  yield await asked('deliveries', async () =>
    examineDeadLetters(await daemon.request<Stats>('GET', '/api/v1/stats')),
  );
  yield* await examineAlerts(daemon);
}

/** Those whose address is refused are told of as alerts. */
function describeTargets({ host, target_allow: allow, target_deny: deny }: SettingsView): Diagnosis {
  const narrowed = allow.includes('public')
    ? `, with HOST ${host}; private networks and this machine are refused unless SWITCHBOARD_TARGET_ALLOW names them`
    : '';
  return good('targets', `They may lie in ${allow.join(', ')}, but not in ${deny.join(', ')}${narrowed}.`);
}

function examineDeadLetters({ deliveries: { dead } }: Stats): Diagnosis {
  if (dead === 0) return good('deliveries', 'None is given up.');
  return bad(
    'deliveries',
    `${dead} deliveries were given up, and have not been sent again since.`,
    'Set their targets right and send them again, or discard them: Failures in the dashboard lists them.',
  );
}

async function examineAlerts(daemon: DaemonClient): Promise<Diagnosis[]> {
  try {
    const { data } = await daemon.request<Page<AlertSummary>>('GET', '/api/v1/alerts?limit=200');
    if (data.length === 0) return [good('alerts', 'None is active.')];
    return data.map((alert) => bad('alerts', describeAlert(alert), alert.remedy));
  } catch (error) {
    return [unread('alerts', error)];
  }
}

/** What the daemon refuses to tell is a finding too. */
async function asked(name: string, look: () => Promise<Diagnosis>): Promise<Diagnosis> {
  try {
    return await look();
  } catch (error) {
    return unread(name, error);
  }
}

const unread = (name: string, error: unknown) =>
  bad(name, (error as Error).message, 'The log of the daemon says more.');

function examineClock({ data: [newest] }: Page<EventSummary>): Diagnosis {
  if (newest === undefined) return good('clock', 'No event contradicts it.');
  const aheadMs = Date.parse(newest.received_at) - Date.now();
  if (aheadMs <= CLOCK_SLACK_MS) return good('clock', 'The newest event is older than now.');
  return bad(
    'clock',
    `The newest event was received at ${newest.received_at}, which is still to come.`,
    'The clock was set back: let it be kept by NTP.',
  );
}

const told = (
  name: string,
  { sentence, remedy }: { sentence: string; remedy: string | null },
  ok: boolean,
): Diagnosis => ({ name, ok, sentence, remedy: ok ? null : remedy });
