import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../../src/contract/connection';
import type { Subscription } from '../../../src/contract/subscription';
import { Daemon } from '../../support/daemon/daemon';
import { assertBalanced } from '../../support/daemon/ledger';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';

const EVENTS = 20;

describe('a hub whose DATA_DIR is copied to another host after a graceful stop', () => {
  let upstream: FakeCopilot;
  let target: WitnessTarget;
  let original: Daemon;
  let moved: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    target = await WitnessTarget.start();
    original = await Daemon.startConnected({ upstream });
  });

  afterAll(async () => {
    await moved?.close();
    await original?.close();
    await target?.close();
    await upstream?.close();
  });

  it('continues there under its PUBLIC_URL with the same webhook, grant, tokens and ids, and delivers what was queued', async () => {
    await original.addTarget('witness', target.url);
    const { token, url, webhook } = original;
    const client = new WebhookSender(webhook);
    target.statusFor = () => 503;
    const ids: string[] = [];
    for (let id = 1; id <= EVENTS; id += 1) {
      const { body } = dealNotification({ id, webhookId: webhook.webhook_id });
      ids.push((await client.send(body)).id!);
    }
    client.close();
    expect(await original.stop()).toBe(0);

    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-moved-'));
    // Neither the text index nor a write-ahead log.
    for (const name of ['switchboard.db', 'secret.key', 'admin.token'])
      cpSync(join(original.dataDir, name), join(dataDir, name));
    rmSync(original.dataDir, { recursive: true });
    target.statusFor = () => 204;
    moved = await Daemon.start({ upstream, dataDir, environment: { PORT: new URL(url).port } });

    expect(moved.url).toBe(url);
    expect(moved.token).toBe(token);
    expect((await moved.get<Connection>('/connection')).state).toBe('connected');
    await until('the webhook is checked', async () => {
      return (await moved.get<Subscription>('/subscription')).state === 'active';
    });
    expect([...upstream.webhooks.values()].map(({ webhook_id: id }) => id)).toEqual([webhook.webhook_id]);
    const retry = await moved.request('POST', '/deliveries/retry', { all: true });
    expect(retry.status).toBe(202);
    await until('what was queued is delivered', () => {
      const delivered = new Set(target.succeeded.map(({ id }) => id));
      return ids.every((id) => delivered.has(id));
    });
    for (const id of ids) expect(await moved.eventBody(id)).not.toBeNull();
    await assertBalanced(moved);
  });
});
