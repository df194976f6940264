import type { AlertSummary } from '../../../src/contract/alert';
import type { Page } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, letWrite } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification, type Notification } from '../../support/notification';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WitnessTarget } from '../../support/fakes/witness-target';

const MIB = 1024 * 1024;

describe('a disk that fails for a while', () => {
  let upstream: FakeCopilot;
  let target: WitnessTarget;
  let daemon: Daemon;
  let client: WebhookSender;
  let made = 0;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    target = await WitnessTarget.start();
    daemon = await Daemon.startConnected({ upstream });
    await daemon.addTarget('witness', target.url);
    client = new WebhookSender(daemon.webhook);
  }, 60_000);

  afterAll(async () => {
    client?.close();
    await daemon?.close();
    await target?.close();
    await upstream?.close();
  });

  const make = (count: number): Notification[] =>
    Array.from({ length: count }, () => {
      made += 1;
      return dealNotification({ id: made, webhookId: daemon.webhook.webhook_id });
    });
  const send = (notifications: readonly Notification[]) =>
    Promise.all(notifications.map(({ body }) => client.send(body)));
  const diskAlerts = async () => {
    const { data } = await daemon.get<Page<AlertSummary>>('/alerts');
    return data.filter(({ type }) => type === 'relay.disk.failed');
  };
  const storedDeals = () =>
    daemon
      .rows<{ entity: string }>('SELECT entity FROM events WHERE entity IS NOT NULL ORDER BY entity')
      .map(({ entity }) => Number(entity.slice('deal:'.length)));

  it('is answered 503, and everything goes on by itself when the disk is well again', async () => {
    target.hold();
    const before = make(40);
    expect((await send(before)).map(({ status }) => status)).toEqual(before.map(() => 200));
    await until('deliveries are under way', () => target.holding === 16);

    failWritesOf(daemon.pid);
    const during = make(30);
    const first = await send(during.slice(0, 15));
    // Results come back that cannot be written now.
    target.release();
    await until('every delivery reached the target', () => target.succeeded.length === before.length);
    const second = await send(during.slice(15));
    for (const { status, retryAfter, word } of [...first, ...second])
      expect({ status, retryAfter, word }).toEqual({ status: 503, retryAfter: '5', word: 'not_stored' });
    expect(daemon.isRunning).toBe(true);
    expect(daemon.rows(`SELECT state FROM deliveries WHERE state = 'succeeded'`)).toEqual([]);
    const change = await daemon.request('POST', '/targets', { name: 'too early', url: target.url });
    expect(change.status).toBe(503);
    expect(await diskAlerts()).toContainEqual(
      expect.objectContaining({ subject: 'commit', severity: 'critical' }),
    );

    const told = () =>
      [...daemon.output.matchAll(/"refused":\{"storage SQLITE_[A-Z_]+":(\d+)\}/g)].map(([, count]) =>
        Number(count),
      );
    await until('all are told of in the log', () => told().reduce((sum, count) => sum + count, 0) === 30);
    expect(told().length).toBeLessThan(10);
    const [alert] = (await daemon.get<Page<AlertSummary>>('/alerts')).data.filter(
      ({ type }) => type === 'relay.notification.refused',
    );
    expect(alert).toMatchObject({ subject: 'storage', severity: 'critical', count: 30 });

    letWrite(daemon.pid);
    const after = make(20);
    expect((await send(after)).map(({ status, word }) => `${status} ${word}`)).toEqual(
      after.map(() => '200 accepted'),
    );
    await until(
      'every delivery is known to have succeeded',
      async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0,
    );
    expect(storedDeals().toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 40 }, (_, i) => i + 1),
      ...Array.from({ length: 20 }, (_, i) => i + 71),
    ]);
    for (const table of ['identities WHERE minute > 0', 'deliveries'])
      expect(daemon.rows(`SELECT count(*) AS count FROM ${table}`)).toEqual([{ count: 60 }]);
    expect(daemon.rows('SELECT DISTINCT state, attempts FROM deliveries')).toEqual([
      { state: 'succeeded', attempts: 1 },
    ]);
    // No result was lost, so nothing was sent a second time.
    expect(target.received).toHaveLength(60);

    expect(await diskAlerts()).toEqual([]);

    const again = await send(during);
    expect(again.map(({ status, word }) => `${status} ${word}`)).toEqual(during.map(() => '200 accepted'));
    await until('those are delivered too', () => target.succeeded.length === 90);
    expect(new Set(target.received.map(({ hash }) => hash)).size).toBe(90);
    await assertBalanced(daemon);
  }, 60_000);

  it('has lost nothing when the daemon starts anew', async () => {
    expect(await daemon.stop()).toBe(0);
    await daemon.restart();
    expect(storedDeals().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i + 1));
    expect(daemon.rows(`SELECT DISTINCT state FROM deliveries`)).toEqual([{ state: 'succeeded' }]);
    expect(target.received).toHaveLength(90);
    await assertBalanced(daemon);
  }, 60_000);

  it('ends in order while the disk fails, and starts with all that was kept', async () => {
    failWritesOf(daemon.pid);
    expect(await daemon.stop()).toBe(0);
    await daemon.restart();
    expect(storedDeals()).toHaveLength(90);
    await assertBalanced(daemon);
  }, 60_000);

  it('raises an alert where only the log can be written, and goes on storing in it', async () => {
    expect(await daemon.stop()).toBe(0);
    daemon.alterDatabase(`CREATE TABLE ballast(bytes); INSERT INTO ballast VALUES (zeroblob(${4 * MIB}))`);
    await daemon.restart();
    failWritesOf(daemon.pid, 2 * MIB);
    const [answer] = await send(make(1));
    expect(answer).toMatchObject({ status: 200, word: 'accepted' });
    await until('the alert', async () => {
      await send(make(1));
      return (await diskAlerts()).length > 0;
    });
    expect(await diskAlerts()).toMatchObject([
      { subject: 'checkpoint', sentence: expect.stringMatching(/\(SQLITE_(IOERR_WRITE|FULL)\)/) },
    ]);
    letWrite(daemon.pid);
    await until('it is over', async () => {
      await send(make(1));
      return (await diskAlerts()).length === 0;
    });
  }, 60_000);
});
