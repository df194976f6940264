import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../src/contract/connection';
import type { Subscription } from '../../src/contract/subscription';
import { Daemon } from '../support/daemon/daemon';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { assertBalanced } from '../support/daemon/ledger';
import { dealNotification } from '../support/notification';
import { RecordingTarget } from '../support/fakes/recording-target';
import { report } from '../support/runs/report';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

const LIFE_SECONDS = 5;
const LASTS_MS = 120_000;
const SENDERS = 8;
const REPAIRERS = 4;

describe('Access tokens of 5 s, for two minutes under load', () => {
  let upstream: FakeCopilot;
  let daemon: Daemon;
  let client: WebhookSender;
  let target: RecordingTarget;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    upstream.expiresIn = LIFE_SECONDS;
    target = await RecordingTarget.start();
    daemon = await Daemon.startConnected({ upstream, environment: { LOG_LEVEL: 'info' } });
    await daemon.addTarget('consumer', target.url);
    client = new WebhookSender(daemon.webhook);
  });
  afterAll(async () => {
    client?.close();
    await daemon?.close();
    await target?.close();
    await upstream?.close();
  });

  it('leave no call of the API without a token, and are renewed one at a time', async () => {
    const refreshes = () => upstream.on('POST /oauth/token').length - 1;
    const apiCalls = () => upstream.requests.filter(({ path }) => path.startsWith('/v1/')).length;
    // A renewal takes its time, so that two at once would be seen.
    upstream.watch('POST /oauth/token', () => pause(50));
    const { webhook_id: webhookId } = daemon.webhook;
    const ends = Date.now() + LASTS_MS;
    const notified = new Map<string, number>();
    const repaired = new Map<string, number>();
    let made = 0;
    const send = async () => {
      while (Date.now() < ends) {
        made += 1;
        count(notified, String((await client.send(dealNotification({ id: made, webhookId }).body)).status));
        await pause(20);
      }
    };
    const repair = async () => {
      while (Date.now() < ends) {
        const { status, body } = await daemon.request('POST', '/subscription/repair');
        const { state, remedy } = body as Subscription;
        count(repaired, `${status}, ${state}, ${remedy ?? 'nothing to be done'}`);
        await pause(20);
      }
    };
    await Promise.all([
      ...Array.from({ length: SENDERS }, send),
      ...Array.from({ length: REPAIRERS }, repair),
    ]);

    report(`${made} notifications, ${apiCalls()} API calls, ${refreshes()} renewals`);
    expect(Object.fromEntries(notified)).toEqual({ 200: made });
    expect([...repaired.keys()]).toEqual(['200, active, nothing to be done']);
    expect(upstream.peak('POST /oauth/token')).toBe(1);
    expect(refreshes()).toBeGreaterThanOrEqual(LASTS_MS / 1000 / LIFE_SECONDS);
    expect((await daemon.get<Connection>('/connection')).state).toMatch(/^(connected|renewing)$/);
    await until('all to be delivered', () => target.hits.length >= made, 60_000);
    expect(upstream.webhooks.size).toBe(1);
    await assertBalanced(daemon);
  });
});

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
