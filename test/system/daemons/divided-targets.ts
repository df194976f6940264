import { io, type Socket } from 'socket.io-client';
import type { Delivery } from '../../../src/contract/delivery';
import type { Replay, ReplaySummary } from '../../../src/contract/replay';
import type { Stats } from '../../../src/contract/stats';
import type { Target } from '../../../src/contract/target';
import type { TargetExam } from '../../../src/contract/target-exam';
import type { TestOutcome } from '../../../src/contract/target-test';
import type { Daemon } from '../../support/daemon/daemon';
import { assertBalanced } from '../../support/daemon/ledger';
import { runCommand } from '../../support/daemon/run-command';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { dealNotification } from '../../support/notification';
import { runSql } from '../../support/postgres';
import { until } from '../../support/until';
import { DAEMONS, group } from './three-daemons';

const TARGETS = 6;
const DEALS = 5;

/** All that is stored gets times as if by such a clock. */
const CLOCK_IS_BEHIND = Object.entries({ events: 'received_at', deliveries: 'created_at' })
  .map(([table, column]) => {
    return `CREATE FUNCTION behind_${table}() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.${column} := NEW.${column} - 365 * 86400000::bigint; RETURN NEW; END $$;
      CREATE TRIGGER behind BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION behind_${table}();`;
  })
  .join('\n');
// Each in a transaction of its own, since it locks its whole table: daemons lock the two in another order.
const CLOCK_IS_RIGHT = ['DROP FUNCTION behind_events CASCADE', 'DROP FUNCTION behind_deliveries CASCADE'];

export function dividedTargets(): void {
  let leader: Daemon;
  const receivers: RecordingTarget[] = [];
  const ids: string[] = [];
  let version = 0;

  /** An event of a deal that one of the daemons receives. @returns its id */
  const notify = async (deal = 1): Promise<string> => {
    version += 1;
    const { body } = dealNotification({
      id: deal,
      name: `Version ${version}`,
      webhookId: group.webhook.webhook_id,
    });
    const { id } = await group.sendTo(group.daemons[version % DAEMONS]!, body);
    return id!;
  };
  const isEmpty = async () => (await leader.get<Stats>('/stats')).deliveries.open === 0;
  /** The index of a target that another daemon than the leader delivers to. */
  const ofOtherDaemon = async (): Promise<number> => {
    const entries = await group.list(leader);
    const own = entries.find((entry) => entry.leader)!.target_ids;
    return ids.findIndex((id) => !own.includes(id));
  };
  const show = (index: number) => leader.get<Target>(`/targets/${ids[index]}`);
  const deliveriesOf = async (index: number, event: string) =>
    (await leader.get<{ data: Delivery[] }>(`/deliveries?target=${ids[index]}&event=${event}`)).data;

  beforeAll(async () => {
    [leader] = group.daemons as [Daemon];
    for (let n = 0; n < TARGETS; n += 1) {
      const receiver = await RecordingTarget.start();
      receivers.push(receiver);
      const { id } = await leader.addTarget(`target ${n}`, receiver.url, { policy: { ordering: 'entity' } });
      ids.push(id);
    }
  });
  afterAll(async () => {
    for (const id of ids) await leader.request('DELETE', `/targets/${id}`);
    for (const receiver of receivers) await receiver.close();
  });

  it('are listed with the daemon that delivers to them, an equal share each', async () => {
    await until('all are divided', async () => {
      const entries = await group.list(leader);
      return entries.every(({ targets }) => targets === TARGETS / DAEMONS);
    });
    const entries = await group.list(leader);
    expect(entries.flatMap((entry) => entry.target_ids).toSorted()).toEqual(ids.toSorted());
    const environment = { SWITCHBOARD_ADMIN_TOKEN: leader.token };
    const { out } = await runCommand(leader.dataDir, ['status'], environment);
    expect(out).toContain('receives, delivers to 2 targets');
  });

  it('receive every event once, in the order of each deal, whichever daemon has stored it', async () => {
    const sent: string[] = [];
    for (let n = 0; n < 40; n += 1) sent.push(await notify(n % DEALS));
    await until('all have received all', () => receivers.every(({ hits }) => hits.length >= sent.length));
    const delivered = async () => {
      const { series } = await leader.get<Stats>('/stats');
      return series.reduce((sum, point) => sum + point.delivered, 0);
    };
    await until('the leader has counted that', async () => (await delivered()) >= sent.length * TARGETS);
    for (const { hits } of receivers) {
      const received = hits.map(({ headers }) => String(headers['webhook-id']));
      expect(received.toSorted()).toEqual(sent.toSorted());
      const byDeal = (events: string[]) =>
        Array.from({ length: DEALS }, (_, deal) => events.filter((id) => sent.indexOf(id) % DEALS === deal));
      expect(byDeal(received)).toEqual(byDeal(sent));
    }
    expect(await delivered()).toBe(sent.length * TARGETS);
    for (let n = 0; n < TARGETS; n += 1)
      expect((await show(n)).health).toMatchObject({ attempts: sent.length, failed: 0 });
    await assertBalanced(leader);
  });

  it('appear on live dashboards as they are settled', async () => {
    const index = await ofOtherDaemon();
    const socket: Socket = io(`${leader.url}/live`, {
      transports: ['websocket'],
      extraHeaders: { authorization: `Bearer ${leader.token}` },
    });
    const shown: Delivery[] = [];
    socket.on('deliveries', (deliveries: Delivery[]) => shown.push(...deliveries));
    try {
      await until('the socket is connected', () => socket.connected);
      const id = await notify();
      await until('the result is shown', () =>
        shown.some((one) => one.event_id === id && one.target_id === ids[index] && one.state === 'succeeded'),
      );
    } finally {
      socket.close();
    }
  });

  it('show what their owner has in flight', async () => {
    const index = await ofOtherDaemon();
    const held: (() => void)[] = [];
    receivers[index]!.respondWith((response) => held.push(() => response.writeHead(200).end()));
    const id = await notify();
    await until('the leader shows it', async () => {
      const [delivery] = await deliveriesOf(index, id);
      return delivery?.state === 'in_flight' && (await show(index)).backlog.in_flight === 1;
    });
    receivers[index]!.respondWith(200);
    for (const answer of held) answer();
    await until('it is delivered', async () => (await deliveriesOf(index, id))[0]?.state === 'succeeded');
    await until('nothing is in flight', async () => (await show(index)).backlog.in_flight === 0);
  });

  it('receive nothing while they are paused', async () => {
    const index = await ofOtherDaemon();
    expect((await leader.request('POST', `/targets/${ids[index]}/pause`, {})).status).toBe(200);
    const id = await notify();
    await until('the others have received it', () =>
      receivers.every((receiver, n) => n === index || receiver.of(id).length === 1),
    );
    expect(receivers[index]!.of(id)).toEqual([]);
    expect((await leader.request('POST', `/targets/${ids[index]}/resume`)).status).toBe(200);
    await until('it is delivered', () => receivers[index]!.of(id).length === 1);
  });

  it('receive what was stored while the clock of a daemon was a year behind', async () => {
    const index = await ofOtherDaemon();
    expect((await leader.request('POST', `/targets/${ids[index]}/pause`, {})).status).toBe(200);
    await runSql(group.url, CLOCK_IS_BEHIND);
    // The leader must learn it from the database.
    if ((version + 1) % DAEMONS === 0) version += 1;
    // Its id, too, says when it was stored.
    const before = receivers.map(({ hits }) => hits.length);
    const received = (n: number) => receivers[n]!.hits.length - before[n]!;
    await notify();
    for (const sql of CLOCK_IS_RIGHT) await runSql(group.url, sql);
    await until('the other targets have received it', () =>
      receivers.every((_, n) => received(n) === (n === index ? 0 : 1)),
    );
    const dead = await runSql(group.url, `SELECT 1 FROM deliveries WHERE state = 'dead'`);
    expect(dead).toEqual([]);
    expect((await leader.request('POST', `/targets/${ids[index]}/resume`)).status).toBe(200);
    await until('it is delivered', () => received(index) === 1);
  });

  it('receive nothing that was cancelled, also if their owner has read it already', async () => {
    const index = await ofOtherDaemon();
    const id = await notify();
    await until('it is delivered', () => receivers[index]!.of(id).length === 1);
    const policy = { ordering: 'none', rate: { limit: 1, per: 'minute' } };
    expect((await leader.request('PATCH', `/targets/${ids[index]}`, { policy })).status).toBe(200);
    const first = await notify();
    await until('the rate is used up', () => receivers[index]!.of(first).length === 1);
    const { body } = await leader.request('POST', `/events/${id}/replay`, { target_ids: [ids[index]] });
    const next = await notify();
    await until('both are queued', async () => (await show(index)).backlog.open === 2);
    expect((await leader.request('POST', `/replays/${(body as Replay).id}/cancel`)).status).toBe(200);
    await until('one is cancelled', async () => (await show(index)).backlog.open === 1);
    await leader.request('PATCH', `/targets/${ids[index]}`, { policy: { ordering: 'entity', rate: null } });
    await until('the other is delivered', () => receivers[index]!.of(next).length === 1);
    await until('nothing is queued', isEmpty);
    expect(receivers[index]!.of(id)).toHaveLength(1);
  });

  it('receive nothing that has changed unnoticed, once their owner has reconnected for notices', async () => {
    const index = await ofOtherDaemon();
    const policy = { ordering: 'none', rate: { limit: 1, per: 'minute' } };
    expect((await leader.request('PATCH', `/targets/${ids[index]}`, { policy })).status).toBe(200);
    const first = await notify();
    await until('the rate is used up', () => receivers[index]!.of(first).length === 1);
    const changed = await notify();
    const name = `Version ${version}`;
    const setDue = (dueAt: string) =>
      runSql(
        group.url,
        `UPDATE deliveries d SET due_at = ${dueAt} FROM events e, targets t
         WHERE e.seq = d.event_seq AND e.name = $1 AND t.number = d.target_id AND t.id = $2 RETURNING d.n`,
        [name, ids[index]],
      );
    const next = await notify();
    await until('both are queued', async () => (await show(index)).backlog.open === 2);
    // No notice is sent.
    expect(await setDue('NULL')).toHaveLength(1);
    await runSql(
      group.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'switchboard notices'`,
    );
    const { address } = (await group.list(leader)).find((entry) => entry.target_ids.includes(ids[index]!))!;
    const owner = group.daemons.find(({ url }) => url === address)!;
    await until('it listens again', () =>
      owner.output.includes('notices of the other daemons may have been lost'),
    );
    await leader.request('PATCH', `/targets/${ids[index]}`, { policy: { ordering: 'entity', rate: null } });
    await until('the other is delivered', () => receivers[index]!.of(next).length === 1);
    expect(receivers[index]!.of(changed)).toEqual([]);
    expect(await setDue('d.created_at')).toHaveLength(1);
    await until('it is delivered', () => receivers[index]!.of(changed).length === 1);
    await until('nothing is queued', isEmpty);
  });

  it('receive what is replayed, and the replay ends', async () => {
    const index = await ofOtherDaemon();
    const id = await notify();
    await until('it is delivered', () => receivers[index]!.of(id).length === 1);
    const { body } = await leader.request('POST', `/events/${id}/replay`, { target_ids: [ids[index]] });
    await until('it is delivered again', () => receivers[index]!.of(id).length === 2);
    await until('the replay has ended', async () => {
      const { state } = await leader.get<ReplaySummary>(`/replays/${(body as Replay).id}`);
      return state === 'done';
    });
  });

  it('receive a test from the leader', async () => {
    const index = await ofOtherDaemon();
    const { body } = await leader.request('POST', `/targets/${ids[index]}/test`);
    expect(body as TestOutcome).toMatchObject({ delivered: true, status: 200 });
  });

  it('are examined by the leader, whichever daemon is asked', async () => {
    const exams = await Promise.all(
      group.daemons.map((daemon) => daemon.request('POST', `/targets/${ids[0]}/exam`)),
    );
    for (const { body } of exams)
      expect((body as TargetExam).results.map(({ status }) => status)).toEqual(Array(6).fill(200));
  });

  it('show their circuit breaker, and recover', async () => {
    const index = await ofOtherDaemon();
    const breaker = { failures: 2, first_probe_s: 1, cap_s: 1 };
    const policy = { ordering: 'none', breaker, retry: { delays_s: Array.from({ length: 20 }, () => 1) } };
    const patched = await leader.request('PATCH', `/targets/${ids[index]}`, { policy });
    expect({ status: patched.status, body: patched.body }).toMatchObject({ status: 200 });
    receivers[index]!.respondWith(503);
    for (let n = 0; n < 3; n += 1) await notify();
    await until('it is shown as down', async () => (await show(index)).breaker !== null);
    receivers[index]!.respondWith(200);
    await until('it has recovered', async () => (await show(index)).breaker === null);
    await until('all is delivered', isEmpty);
  });

  it('are sent nothing more after 410, also before the leader knows of it', async () => {
    const index = await ofOtherDaemon();
    receivers[index]!.respondWith(410);
    const id = await notify();
    await until('it is dead', async () => (await deliveriesOf(index, id))[0]?.state === 'dead');
    const after = [await notify(), await notify(), await notify()];
    await until('the others have received them', () =>
      receivers.every(
        (receiver, n) => n === index || after.every((event) => receiver.of(event).length === 1),
      ),
    );
    await until('it is disabled', async () => (await show(index)).disabled !== null);
    await until('nothing is queued', isEmpty);
    expect(after.flatMap((event) => receivers[index]!.of(event))).toEqual([]);
    receivers[index]!.respondWith(200);
    await leader.request('PATCH', `/targets/${ids[index]}`, { enabled: true });
    const last = await notify();
    await until('it receives again', () => receivers[index]!.of(last).length === 1);
  });

  it('receive nothing once they are removed, and the consistency check finds nothing', async () => {
    const index = await ofOtherDaemon();
    expect((await leader.request('DELETE', `/targets/${ids[index]}`)).status).toBe(204);
    const id = await notify();
    await until('the others have received it', () =>
      receivers.every((receiver, n) => n === index || receiver.of(id).length === 1),
    );
    expect(receivers[index]!.of(id)).toEqual([]);
    await until('nothing is queued', isEmpty);
    await assertBalanced(leader);
  });
}
