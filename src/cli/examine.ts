import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import type { Connection } from '../contract/connection';
import type { EventSummary } from '../contract/event';
import type { Page } from '../contract/page';
import type { Probe } from '../contract/probe';
import type { Subscription } from '../contract/subscription';
import { lockDataDir } from '../relay/database/lock-data-dir';
import { StartRefused } from '../relay/relay-error';
import { readSettings, type Environment } from '../relay/settings/read-settings';
import type { Settings } from '../relay/settings/settings';
import { DaemonClient, DaemonUnavailable } from './daemon-client';

/** One thing that was looked at; `ok` is null where it could not be. */
export interface Diagnosis {
  name: string;
  ok: boolean | null;
  sentence: string;
  remedy: string | null;
}

/** A full disk stops everything; at some hundred notifications a second this fills in an hour. */
const LEAST_FREE_BYTES = 1024 ** 3;

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
  const settings = settingsOf(environment);
  if (Array.isArray(settings)) yield* settings;
  else {
    yield good('settings', 'They can be used.');
    yield* examineFolder(settings);
  }
  yield* examineDaemon(environment);
}

function settingsOf(environment: Environment): Settings | Diagnosis[] {
  try {
    return readSettings(environment);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return error.faults.map(({ what, remedy }) => bad('settings', what, remedy));
  }
}

function* examineFolder({ dataDir }: Settings): Generator<Diagnosis> {
  if (!existsSync(dataDir)) {
    yield bad('DATA_DIR', `${dataDir} does not exist.`, 'Start the daemon, which makes it, or name another.');
    return;
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    yield good('DATA_DIR', `${dataDir} can be read and written.`);
  } catch {
    yield bad(
      'DATA_DIR',
      `${dataDir} cannot be written.`,
      'Run this as the user of the daemon, who owns it.',
    );
    return;
  }
  yield good('lock', isLocked(dataDir) ? 'A daemon holds it.' : 'It is free: no daemon runs.');
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const sentence = `${(free / 1024 ** 3).toFixed(1)} GiB are free.`;
  if (free >= LEAST_FREE_BYTES) yield good('disk', sentence);
  else yield bad('disk', sentence, 'Make room, or let SWITCHBOARD_RETENTION_BYTES bound the database.');
}

function isLocked(dataDir: string): boolean {
  try {
    lockDataDir(dataDir)();
    return false;
  } catch (error) {
    if (error instanceof StartRefused) return true;
    throw error;
  }
}

async function* examineDaemon(environment: Environment): AsyncGenerator<Diagnosis> {
  let daemon: DaemonClient;
  try {
    daemon = new DaemonClient(environment);
    await daemon.request('GET', '/readyz');
  } catch (error) {
    const { message } = error as Error;
    yield bad('daemon', message, error instanceof DaemonUnavailable ? 'Start it.' : 'Its log says why.');
    for (const name of ['clock', 'connection', 'subscription', 'probe'])
      yield unknown(name, 'Only a running daemon can tell.');
    return;
  }
  yield good('daemon', 'It answers, and can do its work.');
  yield examineClock(await daemon.request<Page<EventSummary>>('GET', '/api/v1/events?limit=1'));
  const connection = await daemon.request<Connection>('GET', '/api/v1/connection');
  yield told('connection', connection, connection.state === 'connected' || connection.state === 'renewing');
  const subscription = await daemon.request<Subscription>('GET', '/api/v1/subscription');
  yield told('subscription', subscription, subscription.state === 'active');
  const probe = await daemon.request<Probe>('POST', '/api/v1/subscription/probe');
  yield told('probe', probe, probe.cause === null);
}

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
