import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import type { Connection } from '../contract/connection';
import type { LoginLink } from '../contract/session';
import { CommandFailed, EX_NOPERM, EX_TEMPFAIL } from './command-failed';
import { DaemonClient } from './daemon-client';
import { parseNonNegativeNumber } from './parse-number';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

/** As long as the link and the consent are good. */
const WAIT_SECONDS = 900;
const POLL_INTERVAL_MS = 500;

const EXIT_CODES = `
Exit codes:
  0   connected, or it was already, with every scope
  69  the daemon does not answer
  75  no consent came in time
  77  the consent did not lead to a connection; what was written says why`;

export function connectCommand(): Command {
  const command = new Command('connect')
    .description('print the address that leads to the consent at Co-Pilot, and wait until connected')
    .option('--wait <seconds>', 'how long to wait', parseNonNegativeNumber, WAIT_SECONDS)
    .option(
      '--json',
      'print JSON: a line with the address where one is needed, then a line with the connection',
    )
    .addHelpText('after', EXIT_CODES);
  return withSettings(command, ['dataDir']).action(connect);
}

async function connect({
  json = false,
  wait,
  ...flags
}: SettingsFlags & { json?: boolean; wait: number }): Promise<void> {
  const daemon = new DaemonClient(environmentWith(flags));
  const before = await daemon.request<Connection>('GET', '/api/v1/connection');
  if (isComplete(before)) {
    print(json ? jsonLine(before) : `Connected already. ${oneLine(before.sentence)}`);
    return;
  }
  const link = await daemon.request<LoginLink>('POST', '/api/v1/login-links');
  const url = `${link.url}&next=${encodeURIComponent('/oauth/connect')}`;
  print(
    json
      ? jsonLine({ ...link, url })
      : `Open this address in a browser. It logs you in and leads to the consent at Co-Pilot; it is good once, for 15 minutes.\n\n  ${url}\n\nWaiting for the consent …`,
  );
  const after = await waitForConsent(daemon, before, wait);
  if (json) print(jsonLine(after));
  if (hasConnected(after, before)) {
    if (!json)
      print(oneLine(`Connected. ${after.sentence}${after.remedy === null ? '' : ` ${after.remedy}`}`));
    return;
  }
  const failure = failureSince(after, before);
  throw failure === null
    ? new CommandFailed(
        EX_TEMPFAIL,
        `No consent came within ${wait} s. Run this again for another address, or give --wait.`,
      )
    : new CommandFailed(EX_NOPERM, oneLine(`Not connected. ${failure.sentence} ${failure.remedy}`));
}

/** The connection once the consent has led somewhere, or as it is when the time is over. */
async function waitForConsent(
  daemon: DaemonClient,
  before: Connection,
  waitSeconds: number,
): Promise<Connection> {
  const deadline = performance.now() + waitSeconds * 1000;
  for (;;) {
    const now = await daemon.request<Connection>('GET', '/api/v1/connection');
    if (hasConnected(now, before) || failureSince(now, before) !== null) return now;
    const left = deadline - performance.now();
    if (left <= 0) return now;
    await pause(Math.min(POLL_INTERVAL_MS, left));
  }
}

/** Nothing that a consent could better. */
function isComplete({ state, scopes_missing }: Connection): boolean {
  return (state === 'connected' || state === 'renewing') && scopes_missing.length === 0;
}

/** By a new consent, or by itself, as after an outage. */
function hasConnected(now: Connection, before: Connection): boolean {
  return isComplete(now) || (now.connected_at !== null && now.connected_at !== before.connected_at);
}

function failureSince(now: Connection, before: Connection): Connection['consent_failure'] {
  return now.consent_failure?.at === before.consent_failure?.at ? null : now.consent_failure;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
