import { setTimeout as pause } from 'node:timers/promises';
import type { AlertSummary } from '../../../src/contract/alert';
import type { Outage } from '../../../src/contract/outage';
import type { Page } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import type { Daemon } from '../../support/daemon/daemon';
import { DaemonGroup } from '../../support/daemon/daemon-group';
import { assertBalanced } from '../../support/daemon/ledger';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { dealNotification, type Notification } from '../../support/notification';
import { runSql, TestPostgres } from '../../support/postgres';
import { PostgresPair } from '../../support/postgres-pair';
import { until } from '../../support/until';

/** Above and below the size up to which a body is read with its delivery. */
const SIZES = [100, 6_000];
const COMMIT_MS = 100;

/** What Co-Pilot knows of a notification: whether it was acknowledged, and as which event. */
interface Sent extends Notification {
  id: string | null;
}

const idOf = ({ headers }: Hit) => String(headers['webhook-id']);

const lossAlerts = async (leader: Daemon) =>
  (await leader.get<Page<AlertSummary>>('/alerts')).data.filter(({ type }) =>
    type.startsWith('relay.database.'),
  );

describe('two daemons whose server crashes, and fails over to a standby', () => {
  let pair: PostgresPair;
  let group: DaemonGroup;
  let target: RecordingTarget;
  let nextId = 1;
  const sent: Sent[] = [];

  beforeAll(async () => {
    pair = await PostgresPair.start();
    group = await DaemonGroup.start(TestPostgres.at(pair.url), 2);
    target = await RecordingTarget.start();
    await group.daemons[0]!.addTarget('shop', target.url);
  });
  afterAll(async () => {
    await group?.close();
    await target?.close();
    await pair?.stop();
  });

  const send = async (daemon: Daemon, notification: Notification): Promise<Sent> => {
    const { status, id } = await group.sendTo(daemon, notification.body);
    const outcome = { ...notification, id: status === 200 ? id : null };
    sent.push(outcome);
    return outcome;
  };
  const notifications = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      nextId += 1;
      const name = 'x'.repeat(SIZES[i % SIZES.length]!);
      return dealNotification({ id: nextId, name, webhookId: group.webhook.webhook_id });
    });
  /** Sends to both daemons, and once more what was not acknowledged. */
  const sendToBoth = async (count: number, during: () => Promise<void>) => {
    const first = notifications(count).map((one, i) => send(group.daemons[i % 2]!, one));
    await during();
    const refused = (await Promise.all(first)).filter(({ id }) => id === null);
    await until('each daemon stores events again', async () => {
      const answers = await Promise.all(group.daemons.map((daemon) => send(daemon, notifications(1)[0]!)));
      return answers.every(({ id }) => id !== null);
    });
    for (const [i, notification] of refused.entries()) await send(group.daemons[i % 2]!, notification);
  };

  const configure = async (settings: Record<string, number>) => {
    for (const [name, value] of Object.entries(settings))
      await runSql(pair.primary.url, `ALTER SYSTEM SET ${name} = ${value}`);
    await runSql(pair.primary.url, 'SELECT pg_reload_conf()');
  };

  const acknowledged = () => sent.filter(({ id }) => id !== null);
  const storedHashes = async () => {
    const rows = await runSql<{ hash: string }>(
      group.url,
      `SELECT encode(sha256(body), 'hex') AS hash FROM events WHERE signature_header <> ''`,
    );
    return new Set(rows.map(({ hash }) => hash));
  };
  const lost = async () => {
    const stored = await storedHashes();
    return acknowledged().flatMap(({ id, hash }) => (stored.has(hash) ? [] : [id]));
  };
  const unreported = async () =>
    (await runSql(group.url, 'SELECT 1 FROM generations WHERE NOT is_told')).length;
  const lastSeq = async () =>
    (await runSql<{ seq: string }>(group.url, 'SELECT seq FROM last_event'))[0]!.seq;
  /** Whether the target has got each event, and no event with the body of another one. */
  const areDelivered = (events: readonly Sent[]) => {
    const bodies = new Map(acknowledged().map(({ id, body }) => [id, body]));
    for (const hit of target.hits) expect(hit.body.equals(bodies.get(idOf(hit)) ?? hit.body)).toBe(true);
    const delivered = new Set(target.hits.map(idOf));
    return events.every(({ id }) => delivered.has(id!));
  };
  const allDelivered = async (events: readonly Sent[]) => {
    const leader = await group.leader();
    await until('everything is delivered', async () => {
      // An application that is replaced closes its connections.
      const { status, body } = await leader
        .request('GET', '/stats')
        .catch(() => ({ status: 503, body: null }));
      if (status !== 200) return false;
      const { open } = (body as Stats).deliveries;
      expect(open).toBeGreaterThanOrEqual(0);
      return open === 0 && areDelivered(events);
    });
    await assertBalanced(leader);
    expect((await leader.get<Stats>('/stats')).deliveries.open).toBe(0);
    return leader;
  };

  it('store what they acknowledge, though a session of the server is killed during its commit', async () => {
    // A commit takes long enough to be interrupted.
    await configure({ commit_delay: COMMIT_MS * 1_000, commit_siblings: 0 });
    for (let round = 0; round < 3; round += 1)
      await sendToBoth(6, async () => {
        let pid = 0;
        await until('a group is being committed', async () => {
          const [row] = await runSql<{ pid: number }>(
            pair.primary.url,
            `SELECT pid FROM pg_stat_activity WHERE application_name = 'switchboard' AND query = 'COMMIT' AND state = 'active'`,
          ).catch(() => []);
          pid = row?.pid ?? 0;
          return pid > 0;
        });
        pair.primary.kill(pid);
      });
    await configure({ commit_delay: 0 });
    expect(await lost()).toEqual([]);
    await allDelivered(acknowledged());
  });

  it('store what they acknowledge, and raise no alert, if a standby takes over that commits have waited for', async () => {
    await pair.addStandby('synchronous');
    await sendToBoth(6, async () => {
      pair.cutStandby();
      await sendSome(4);
      await pair.failOver();
    });
    expect(await lost()).toEqual([]);
    const leader = await allDelivered(acknowledged());
    await until('nothing is left to report', async () => (await unreported()) === 0);
    expect(await runSql(group.url, 'SELECT generation FROM generations')).toHaveLength(2);
    expect(await lossAlerts(leader)).toEqual([]);
  });

  /** Those that are not answered, because the standby is cut off. */
  const sendSome = async (count: number) => {
    for (const one of notifications(count)) void send(group.daemons[0]!, one);
    await pause(2 * COMMIT_MS);
  };

  it('tell once which events a standby has lost, and deliver each that has the number of a lost one', async () => {
    await pair.addStandby('asynchronous');
    await allDelivered(acknowledged());
    const kept = Number(await lastSeq());
    pair.cutStandby();
    for (const one of notifications(10)) await send(group.daemons[0]!, one);
    const through = Number(await lastSeq());
    await pair.failOver();
    const before = sent.length;
    await sendToBoth(through - kept, async () => undefined);
    const later = sent.slice(before).filter(({ id }) => id !== null);
    expect(later.length).toBeGreaterThan(through - kept);
    const leader = await allDelivered(later);
    expect(await lost()).toHaveLength(10);
    await until('an alert is raised', async () => (await lossAlerts(leader)).length > 0);
    await until('the alert is stored', async () => (await unreported()) === 0);
    expect(await lossAlerts(leader)).toEqual([
      expect.objectContaining({
        type: 'relay.database.rows_lost',
        severity: 'critical',
        count: 1,
        data: expect.objectContaining({ to_seq: through }),
        remedy: expect.stringContaining('Co-Pilot does not send them again'),
      }),
    ]);
    const [alert] = await lossAlerts(leader);
    expect(alert!.data['from_seq']).toBeLessThanOrEqual(kept + 1);
    const { data: outages } = await leader.get<Page<Outage>>('/outages');
    // Meanwhile notifications may have been refused, which is an outage of its own.
    const kinds = outages.map(({ kind }) => kind).filter((kind) => kind !== 'not_stored');
    expect(kinds).toEqual(['failover']);
  });
});
