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

const TOKEN_LIFETIME_SECONDS = 5;
const DURATION_MS = 120_000;
const SENDERS = 8;
const REPAIRERS = 4;

describe('access tokens that expire after 5 s, for two minutes under load', () => {
  let upstream: FakeCopilot;
  let daemon: Daemon;
  let client: WebhookSender;
  let target: RecordingTarget;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    upstream.grants.expiresIn = TOKEN_LIFETIME_SECONDS;
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

  it('never leave an API call without a token, and are renewed one at a time', async () => {
    const refreshes = () => upstream.on('POST /oauth/token').length - 1;
    const apiCalls = () => upstream.requests.filter(({ path }) => path.startsWith('/v1/')).length;
    // A renewal is slow, so that two at once would be noticed.
    upstream.watch('POST /oauth/token', () => pause(50));
    const { webhook_id: webhookId } = daemon.webhook;
    const ends = Date.now() + DURATION_MS;
    const notified = new Map<string, number>();
    const repaired = new Map<string, number>();
    let sent = 0;
    const send = async () => {
      while (Date.now() < ends) {
        sent += 1;
        count(notified, String((await client.send(dealNotification({ id: sent, webhookId }).body)).status));
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

    report(`${sent} notifications, ${apiCalls()} API calls, ${refreshes()} renewals`);
    expect(Object.fromEntries(notified)).toEqual({ 200: sent });
    expect([...repaired.keys()]).toEqual(['200, active, nothing to be done']);
    expect(upstream.peak('POST /oauth/token')).toBe(1);
    expect(refreshes()).toBeGreaterThanOrEqual(DURATION_MS / 1000 / TOKEN_LIFETIME_SECONDS);
    expect((await daemon.get<Connection>('/connection')).state).toMatch(/^(connected|renewing)$/);
    await until('all are delivered', () => target.hits.length >= sent, 60_000);
    expect(upstream.webhooks.size).toBe(1);
    await assertBalanced(daemon);
  });
});

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
