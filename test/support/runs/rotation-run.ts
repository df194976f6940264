import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { Subscription } from '../../../src/contract/subscription';
import { cookiesOf } from '../cookies';
import { startSandbox } from '../../../src/sandbox/start-sandbox';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { startRelay } from '../../../src/relay/start-relay';

import { assertBalanced } from '../daemon/ledger';
import { RecordingTarget } from '../fakes/recording-target';
import { TestClock } from '../clock';
import { until } from '../until';

const ADMIN_TOKEN = 'admin-token-of-the-run';
const CLIENT = { clientId: 'client-of-the-run', clientSecret: 'client-secret-of-the-run' };
const EMIT_EVERY_MS = 50;
const LOOK_EVERY_MS = 250;
/** The old webhook is deleted once nothing can be on its way from it any more: after 30 s. */
const ROTATES_WITHIN_MS = 120_000;
const ARRIVE_WITHIN_MS = 60_000;
const SETTLE_MS = 1_000;

export interface RotationRun {
  /** How many events happened, and how often each came to the target, by the number in its data. */
  emitted: number;
  arrivals: Map<number, number>;
  /** Every status that notifications were answered with, how often; `none` where no answer came. */
  answers: Record<string, number>;
  /** How many different webhooks sent. */
  webhooks: number;
}

/**
 * Rotates again and again while the sandbox sends so many notifications a second, and counts what came of them.
 * @param options.clockSpeed how fast the daemon's time goes; what it would take 4 s for is refused so much sooner
 */
export async function rotateUnderLoad(options: {
  perSecond: number;
  rotations: number;
  clockSpeed: number;
}): Promise<RotationRun> {
  const answers: Record<string, number> = {};
  const senders = new Set<string>();
  const sandbox = await startSandbox({
    consent: 'grant',
    log: (record) => {
      if (record.kind !== 'attempt') return;
      senders.add(record.webhookId);
      const status = record.status ?? 'none';
      answers[status] = (answers[status] ?? 0) + 1;
    },
  });
  const target = await RecordingTarget.start();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-rotation-'));
  const clock = new TestClock();
  const settings = readSettings({
    DATA_DIR: dataDir,
    PORT: '0',
    COPILOT_BASE_URL: sandbox.baseUrl,
    COPILOT_CLIENT_ID: CLIENT.clientId,
    COPILOT_CLIENT_SECRET: CLIENT.clientSecret,
    SWITCHBOARD_ADMIN_TOKEN: ADMIN_TOKEN,
    SWITCHBOARD_TARGETS: `everything=${target.url}`,
  });
  const relay = await startRelay(settings, { log: pino({ level: 'silent' }), clock });
  sandbox.createApplication({ name: 'hub', ...CLIENT, redirectUris: [`${relay.url}/oauth/callback`] });
  const ask = async (path: string, method = 'GET'): Promise<Subscription> => {
    const answer = await fetch(`${relay.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return JSON.parse(await answer.text()) as Subscription;
  };
  try {
    await consent(relay.url);
    await until('the registration', async () => (await ask('/subscription')).state === 'active');

    let emitted = 0;
    const startedAt = Date.now();
    const emitting = setInterval(() => {
      clock.move((options.clockSpeed - 1) * EMIT_EVERY_MS);
      const due = ((Date.now() - startedAt) / 1_000) * options.perSecond;
      for (; emitted < due; emitted += 1) sandbox.emit('deal.updated', { number: emitted });
    }, EMIT_EVERY_MS);
    try {
      for (let done = 0; done < options.rotations; done += 1) {
        await pause(SETTLE_MS);
        const { webhook_id: before } = await ask('/subscription');
        const { webhook_id: after } = await ask('/subscription/rotate', 'POST');
        if (after === before) throw new Error('The rotation brought no other webhook.');
        const isOver = async () => (await ask('/subscription')).rotation === null;
        while (!(await isOver())) {
          if (Date.now() > startedAt + (done + 1) * ROTATES_WITHIN_MS)
            throw new Error('The rotation does not end.');
          await pause(LOOK_EVERY_MS);
        }
      }
      await pause(SETTLE_MS);
    } finally {
      clearInterval(emitting);
    }
    // What does not come is for the caller to find missing.
    const givesUpAt = Date.now() + ARRIVE_WITHIN_MS;
    while (target.hits.length < emitted && Date.now() < givesUpAt) await pause(LOOK_EVERY_MS);
    const arrivals = new Map<number, number>();
    for (const { body } of target.hits) arrivals.set(numberIn(body), (arrivals.get(numberIn(body)) ?? 0) + 1);
    await assertBalanced({ url: relay.url, token: ADMIN_TOKEN });
    return { emitted, arrivals, answers, webhooks: senders.size };
  } finally {
    await relay.stop();
    await sandbox.close();
    await target.close();
    rmSync(dataDir, { recursive: true });
  }
}

async function consent(hub: string): Promise<void> {
  let address = `${hub}/oauth/connect`;
  let cookie = '';
  for (const authorization of [`Bearer ${ADMIN_TOKEN}`, '', '']) {
    const answer = await fetch(address, { headers: { authorization, cookie }, redirect: 'manual' });
    cookie ||= cookiesOf(answer);
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`The consent ended with ${answer.status}.`);
    address = new URL(location, address).href;
  }
}

function numberIn(body: Buffer): number {
  const { data }: { data: { number: number } } = JSON.parse(body.toString());
  return data.number;
}
