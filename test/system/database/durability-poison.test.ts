import type { Stats } from '../../../src/contract/stats';
import { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WitnessTarget } from '../../support/fakes/witness-target';

const BURST = 90;
const isPoisoned = (n: number) => n % 9 === 4;

describe('an event that the database rejects, in a batch of others', () => {
  let upstream: FakeCopilot;
  let target: WitnessTarget;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    target = await WitnessTarget.start();
    daemon = await Daemon.startConnected({ upstream });
    await daemon.addTarget('witness', target.url);
  });

  afterAll(async () => {
    await daemon?.close();
    await target?.close();
    await upstream?.close();
  });

  const count = (table: string) =>
    daemon.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]!.count;

  it('is rejected alone and leaves nothing behind; once it can be stored, sending it again stores it', async () => {
    expect(await daemon.stop()).toBe(0);
    daemon.alterDatabase(
      `CREATE TRIGGER poison BEFORE INSERT ON events WHEN NEW.entity = 'deal:666'
       BEGIN SELECT RAISE(ABORT, 'poison'); END`,
    );
    await daemon.restart();
    const client = new WebhookSender(daemon.webhook);
    const webhookId = daemon.webhook.webhook_id;
    const notifications = Array.from({ length: BURST }, (_, n) =>
      dealNotification({ id: isPoisoned(n) ? 666 : n, name: `Number ${n}`, webhookId }),
    );
    const poisoned = notifications.filter((_, n) => isPoisoned(n));
    const good = notifications.filter((_, n) => !isPoisoned(n));

    const responses = await Promise.all(notifications.map(({ body }) => client.send(body)));
    const rejected = responses.filter((_, n) => isPoisoned(n));
    for (const { status, retryAfter, code } of rejected)
      expect({ status, retryAfter, code }).toEqual({ status: 503, retryAfter: '5', code: 'not_stored' });
    const accepted = responses.filter((_, n) => !isPoisoned(n));
    for (const { status, code } of accepted)
      expect({ status, code }).toEqual({ status: 200, code: 'accepted' });
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(good.length);

    expect(daemon.rows(`SELECT seq FROM events WHERE entity = 'deal:666'`)).toEqual([]);
    for (const table of [
      'events WHERE entity IS NOT NULL',
      'recent_identities WHERE minute > 0',
      'deliveries',
    ])
      expect(count(table)).toBe(good.length);
    await until('the others are delivered', () => target.succeeded.length === good.length);
    expect(new Set(target.received.map(({ hash }) => hash))).toEqual(new Set(good.map(({ hash }) => hash)));

    await assertBalanced(daemon);
    expect(await daemon.stop()).toBe(0);
    daemon.alterDatabase('DROP TRIGGER poison');
    await daemon.restart();
    const again = await Promise.all(poisoned.map(({ body }) => client.send(body)));
    expect(again.map(({ status, code }) => `${status} ${code}`)).toEqual(poisoned.map(() => '200 accepted'));
    await until('these are delivered too', () => target.succeeded.length === BURST);
    expect(new Set(target.received.map(({ hash }) => hash)).size).toBe(BURST);
    await until(
      'no delivery is queued',
      async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0,
    );
    expect(daemon.rows('SELECT state, count(*) AS count FROM deliveries GROUP BY state')).toEqual([
      { state: 'succeeded', count: BURST },
    ]);
    await assertBalanced(daemon);
    client.close();
  });
});
