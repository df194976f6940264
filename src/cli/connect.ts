import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../contract/connection';
import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { HubClient } from './remote/hub-client';

const POLL_INTERVAL_MS = 500;

export async function connect(
  hub: HubClient,
  { json = false, wait }: { json?: boolean; wait: number },
): Promise<void> {
  const before = await hub.request('GET', '/api/v1/connection');
  if (isComplete(before)) {
    print(json ? jsonLine(before) : `Already connected. ${oneLine(before.sentence)}`);
    return;
  }
  const link = await hub.request('POST', '/api/v1/login-links');
  const url = `${link.url}&next=${encodeURIComponent('/oauth/connect')}`;
  print(
    json
      ? jsonLine({ ...link, url })
      : `Open this link in a browser. It logs you in and redirects to the consent page of Co-Pilot. It works once, within 15 minutes.\n\n  ${url}\n\nWaiting for the consent …`,
  );
  const after = await waitForConsent(hub, before, wait);
  if (json) print(jsonLine(after));
  if (hasConnected(after, before)) {
    if (!json)
      print(oneLine(`Connected. ${after.sentence}${after.remedy === null ? '' : ` ${after.remedy}`}`));
    return;
  }
  const failure = failureSince(after, before);
  throw failure === null
    ? new CommandFailed(
        EXIT.timedOut,
        `No consent within ${wait} s. Run the command again for a new link, or set a longer --wait.`,
      )
    : new CommandFailed(EXIT.noAccess, oneLine(`Not connected. ${failure.sentence} ${failure.remedy}`));
}

/** The connection after the consent succeeded or failed, or its state when the time is up. */
async function waitForConsent(hub: HubClient, before: Connection, waitSeconds: number): Promise<Connection> {
  const deadline = performance.now() + waitSeconds * 1000;
  for (;;) {
    const now = await hub.request('GET', '/api/v1/connection');
    if (hasConnected(now, before) || failureSince(now, before) !== null) return now;
    const left = deadline - performance.now();
    if (left <= 0) return now;
    await pause(Math.min(POLL_INTERVAL_MS, left));
  }
}

/** Connected with every scope, so that another consent would change nothing. */
function isComplete({ state, scopes_missing }: Connection): boolean {
  return (state === 'connected' || state === 'renewing') && scopes_missing.length === 0;
}

/** Through a new consent or automatically, such as after an outage. */
function hasConnected(now: Connection, before: Connection): boolean {
  return isComplete(now) || (now.connected_at !== null && now.connected_at !== before.connected_at);
}

function failureSince(now: Connection, before: Connection): Connection['consent_failure'] {
  return now.consent_failure?.at === before.consent_failure?.at ? null : now.consent_failure;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
