import type { AlertSummary } from '../../../src/contract/alert';
import type { Page } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, allowWritesOf } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification, type Notification } from '../../support/notification';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WitnessTarget } from '../../support/fakes/witness-target';

const MIB = 1024 * 1024;

describe('a disk that fails temporarily', () => {
  let upstream: FakeCopilot;
  let target: WitnessTarget;
  let daemon: Daemon;
  let client: WebhookSender;
  let created = 0;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    target = await WitnessTarget.start();
    daemon = await Daemon.startConnected({ upstream });
    await daemon.addTarget('witness', target.url);
    client = new WebhookSender(daemon.webhook);
  });

  afterAll(async () => {
    client?.close();
    await daemon?.close();
    await target?.close();
    await upstream?.close();
  });

  const make = (count: number): Notification[] =>
    Array.from({ length: count }, () => {
      created += 1;
      return dealNotification({ id: created, webhookId: daemon.webhook.webhook_id });
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

  it('is answered with 503, and storing resumes when the disk recovers', async () => {
    target.holdResponses();
    const before = make(40);
    expect((await send(before)).map(({ status }) => status)).toEqual(before.map(() => 200));
    await until('deliveries are in flight', () => target.heldCount === 16);

    failWritesOf(daemon.pid);
    const during = make(30);
    const first = await send(during.slice(0, 15));
    // Responses arrive that cannot be recorded now.
    target.releaseResponses();
    await until('every delivery reached the target', () => target.succeeded.length === before.length);
    const second = await send(during.slice(15));
    for (const { status, retryAfter, code } of [...first, ...second])
      expect({ status, retryAfter, code }).toEqual({ status: 503, retryAfter: '5', code: 'not_stored' });
    expect(daemon.isRunning).toBe(true);
    expect(daemon.rows(`SELECT state FROM deliveries WHERE state = 'succeeded'`)).toEqual([]);
    const change = await daemon.request('POST', '/targets', { name: 'too early', url: target.url });
    expect(change.status).toBe(503);
    expect(await diskAlerts()).toContainEqual(
      expect.objectContaining({ subject: 'commit', severity: 'critical' }),
    );

    const loggedCounts = () =>
      [...daemon.output.matchAll(/"not_stored":\{"storage SQLITE_[A-Z_]+":(\d+)\}/g)].map(([, count]) =>
        Number(count),
      );
    await until(
      'all are counted in the log',
      () => loggedCounts().reduce((sum, count) => sum + count, 0) === 30,
    );
    expect(loggedCounts().length).toBeLessThan(10);
    const [alert] = (await daemon.get<Page<AlertSummary>>('/alerts')).data.filter(
      ({ type }) => type === 'relay.notification.not_stored',
    );
    expect(alert).toMatchObject({ subject: 'storage', severity: 'critical', count: 30 });

    allowWritesOf(daemon.pid);
    const after = make(20);
    expect((await send(after)).map(({ status, code }) => `${status} ${code}`)).toEqual(
      after.map(() => '200 accepted'),
    );
    await until(
      'every delivery is recorded as succeeded',
      async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0,
    );
    expect(storedDeals().toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 40 }, (_, i) => i + 1),
      ...Array.from({ length: 20 }, (_, i) => i + 71),
    ]);
    for (const table of ['recent_identities WHERE minute > 0', 'deliveries'])
      expect(daemon.rows(`SELECT count(*) AS count FROM ${table}`)).toEqual([{ count: 60 }]);
    expect(daemon.rows('SELECT DISTINCT state, attempts FROM deliveries')).toEqual([
      { state: 'succeeded', attempts: 1 },
    ]);
    // No result was lost, so nothing was sent twice.
    expect(target.received).toHaveLength(60);

    expect(await diskAlerts()).toEqual([]);

    const again = await send(during);
    expect(again.map(({ status, code }) => `${status} ${code}`)).toEqual(during.map(() => '200 accepted'));
    await until('these are delivered too', () => target.succeeded.length === 90);
    expect(new Set(target.received.map(({ hash }) => hash)).size).toBe(90);
    await assertBalanced(daemon);
  });

  it('has lost nothing after a restart', async () => {
    expect(await daemon.stop()).toBe(0);
    await daemon.restart();
    expect(storedDeals().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i + 1));
    expect(daemon.rows(`SELECT DISTINCT state FROM deliveries`)).toEqual([{ state: 'succeeded' }]);
    expect(target.received).toHaveLength(90);
    await assertBalanced(daemon);
  });

  it('allows a clean shutdown, after which the daemon starts with everything that was stored', async () => {
    failWritesOf(daemon.pid);
    expect(await daemon.stop()).toBe(0);
    await daemon.restart();
    expect(storedDeals()).toHaveLength(90);
    await assertBalanced(daemon);
  });

  it('raises an alert when only the write-ahead log can be written, and storing continues in it', async () => {
    expect(await daemon.stop()).toBe(0);
    daemon.alterDatabase(`CREATE TABLE ballast(bytes); INSERT INTO ballast VALUES (zeroblob(${4 * MIB}))`);
    await daemon.restart();
    failWritesOf(daemon.pid, 2 * MIB);
    const [answer] = await send(make(1));
    expect(answer).toMatchObject({ status: 200, code: 'accepted' });
    await until('the alert is raised', async () => {
      await send(make(1));
      return (await diskAlerts()).length > 0;
    });
    expect(await diskAlerts()).toMatchObject([
      { subject: 'checkpoint', sentence: expect.stringMatching(/\(SQLITE_(IOERR_WRITE|FULL)\)/) },
    ]);
    allowWritesOf(daemon.pid);
    await until('the alert is resolved', async () => {
      await send(make(1));
      return (await diskAlerts()).length === 0;
    });
  });
});
