import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { alertSummary } from '../../../src/contract/alert';
import { auditEntry } from '../../../src/contract/audit';
import { deathCauses } from '../../../src/contract/dead-letter';
import { delivery, deliveryJob, type Delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target, type Target } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, letWrite } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification } from '../../support/notification';
import { outsideGlobal } from '../../support/outside';
import { RecordingTarget, type Behaviour } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const REASON = 'The target answered 410 Gone.';
const started: RecordingTarget[] = [];

async function receiver(behaviour?: Behaviour): Promise<RecordingTarget> {
  const made = await RecordingTarget.start(behaviour);
  started.push(made);
  return made;
}

afterAll(() => Promise.all(started.map((one) => one.close())));

describe('a target that answers 410', () => {
  let board: Switchboard;

  /** What the daemon looks at every few seconds it looks at several times a second. */
  const schedule = outsideGlobal.setInterval;
  beforeAll(async () => {
    jest
      .spyOn(outsideGlobal, 'setInterval')
      .mockImplementation((work: () => void, ms = 0) => schedule(work, Math.min(ms, 300)));
    board = await Switchboard.start();
  });

  afterEach(() => assertBalanced({ url: board.origin, token: board.adminToken }));

  afterAll(async () => {
    await board.end();
    jest.restoreAllMocks();
  });

  const shown = (id: string) => board.read(target, `/targets/${id}`);
  const act = (id: string, name: 'pause' | 'resume') =>
    board.ask(`/targets/${id}/${name}`, { method: 'POST' });
  const deliveriesOf = async (id: string): Promise<Delivery[]> =>
    (await board.read(pageOf(delivery), `/deliveries?target=${id}&limit=200`)).data;
  const ended = (id: string) =>
    until('nothing is open', async () => (await shown(id)).backlog.open === 0, 20_000);
  const alerts = async (id: string) =>
    (await board.read(pageOf(alertSummary), '/alerts')).data.filter(({ subject }) => subject === id);

  it('takes no new events, and what is open there becomes dead letters, which can be sent again', async () => {
    const place = await receiver(410);
    const { id } = await board.addTarget('gone', place.url, ['gone.*'], { policy: { concurrency: 1 } });
    await act(id, 'pause');
    const events: string[] = [];
    for (let i = 0; i < 5; i += 1) events.push(await board.emit('gone.event'));
    await act(id, 'resume');
    await ended(id);

    expect(place.hits).toHaveLength(1);
    expect(await shown(id)).toMatchObject({ enabled: false, disabled: { reason: REASON }, paused: null });
    for (const one of await deliveriesOf(id))
      expect(one).toMatchObject({ state: 'dead', last_error: 'gone', note: expect.stringContaining(REASON) });
    expect((await board.read(deathCauses, `/dead-letters/causes?target=${id}`)).data).toMatchObject([
      { error: 'gone', deliveries: 5 },
    ]);
    expect((await board.read(pageOf(auditEntry), `/audit?subject=${id}&limit=1`)).data).toMatchObject([
      { action: 'target.disable', actor: { kind: 'switchboard' } },
    ]);
    await until('the alert', async () => (await alerts(id)).length > 0);
    expect(await alerts(id)).toMatchObject([
      { type: 'relay.target.disabled', severity: 'critical', data: { target_id: id, reason: REASON } },
    ]);
    expect(await board.event(await board.emit('gone.event'))).toMatchObject({ status: 'unmatched' });

    await board.stop();
    board = await Switchboard.start({ after: board });
    expect(await shown(id)).toMatchObject({ enabled: false, disabled: { reason: REASON } });

    place.answer(204);
    const enabled = await board.read(target, `/targets/${id}`, { method: 'PATCH', json: { enabled: true } });
    expect(enabled).toMatchObject({ enabled: true, disabled: null });
    await until('the end of the alert', async () => (await alerts(id)).length === 0);
    const json = { target: id, error: 'gone' };
    await board.read(deliveryJob, '/deliveries/retry', { method: 'POST', json });
    await until('all of them arrive', () => events.every((event) => place.of(event).length > 0));
    await ended(id);
    await board.removeTarget({ id });
  });

  it('has what is on its way there answered first, and keeps what succeeds', async () => {
    const held: ((status: number) => void)[] = [];
    const place = await receiver((response) => {
      held.push((status) => void response.writeHead(status).end());
    });
    const { id } = await board.addTarget('leaving', place.url, ['leaving.*'], { policy: { concurrency: 3 } });
    await Promise.all(Array.from({ length: 6 }, () => board.emit('leaving.event')));
    await until('three are on their way', () => held.length === 3);
    held[0]!(410);
    await until('the three that wait are dead', async () => (await shown(id)).backlog.open === 2);
    held[1]!(204);
    held[2]!(503);
    await ended(id);
    const states = (await deliveriesOf(id)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['dead', 'dead', 'dead', 'dead', 'dead', 'succeeded']);
    expect(place.hits).toHaveLength(3);
    await board.removeTarget({ id });
  });

  it.each(['go_on', 'stop'] as const)(
    'has lanes end too where they %s behind a dead letter',
    async (onDead) => {
      const place = await receiver(410);
      const { id } = await board.addTarget(`lanes ${onDead}`, place.url, [`lanes.${onDead}`], {
        policy: { ordering: 'entity', on_dead: onDead, concurrency: 1 },
      });
      await act(id, 'pause');
      for (let i = 0; i < 12; i += 1) await board.emit(`lanes.${onDead}`, { id: i % 3 });
      await act(id, 'resume');
      await ended(id);
      const all = await deliveriesOf(id);
      expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['dead']));
      expect(all.filter(({ stops_lane: stops }) => stops)).toHaveLength(onDead === 'stop' ? 3 : 0);
      expect(place.hits).toHaveLength(1);
      await board.removeTarget({ id });
    },
  );

  it('has much end in small steps, between which notifications are stored', async () => {
    const place = await receiver(410);
    const { id } = await board.addTarget('crowded', place.url, ['crowded.*'], { policy: { concurrency: 1 } });
    await act(id, 'pause');
    for (let i = 0; i < 20; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => board.emit('crowded.event')));
    await act(id, 'resume');
    await ended(id);
    const connection = new sqliteDriver(join(board.dataDir, 'switchboard.db'), { readonly: true });
    const steps = connection
      .prepare<[], { count: number }>(
        `SELECT count(*) AS count FROM deliveries d JOIN events e ON e.seq = d.event_seq
         WHERE e.type = 'crowded.event' GROUP BY d.settled_at`,
      )
      .all();
    connection.close();
    // What ends in one step ends at one time.
    expect(Math.max(...steps.map(({ count }) => count))).toBeLessThanOrEqual(300);
    expect(place.hits).toHaveLength(1);
    await board.removeTarget({ id });
  });
});

describe('a target that answers 410 while the disk fails', () => {
  it('is shown as disabled, sent nothing more, and disabled on disk once that takes it', async () => {
    const upstream = await FakeCopilot.start();
    const daemon = await Daemon.startConnected({ upstream });
    const client = new WebhookSender(daemon.webhook);
    try {
      let answer: ((status: number) => void) | null = null;
      const place = await receiver((response) => {
        answer = (status) => void response.writeHead(status).end();
      });
      await daemon.addTarget('leaving', place.url, { policy: { concurrency: 1 } });
      const leaving = async () => (await daemon.get<{ data: Target[] }>('/targets')).data[0]!;
      const send = async (id: number) => {
        const { body } = dealNotification({ id, webhookId: daemon.webhook.webhook_id });
        return (await client.send(body)).status;
      };
      for (const id of [1, 2, 3, 4]) expect(await send(id)).toBe(200);
      await until('the first is on its way', () => answer !== null);

      failWritesOf(daemon.pid);
      answer!(410);
      await until('it is disabled', async () => (await leaving()).disabled !== null);
      expect(await leaving()).toMatchObject({ enabled: false, disabled: { reason: REASON } });
      expect(await send(5)).toBe(503);
      expect(daemon.rows('SELECT enabled, disabled_at FROM targets')).toEqual([
        { enabled: 1, disabled_at: null },
      ]);

      letWrite(daemon.pid);
      await until('nothing is open', async () => (await leaving()).backlog.open === 0, 20_000);
      await until('it is disabled on disk', () => {
        const [row] = daemon.rows<object>('SELECT enabled, disabled_reason AS reason FROM targets');
        return isDeepStrictEqual({ ...row }, { enabled: 0, reason: REASON });
      });
      expect(daemon.rows('SELECT DISTINCT state, last_error FROM deliveries')).toEqual([
        { state: 'dead', last_error: 'gone' },
      ]);
      expect(place.hits).toHaveLength(1);
      expect(await send(6)).toBe(200);
      await assertBalanced(daemon);

      expect(await daemon.stop()).toBe(0);
      await daemon.restart();
      expect(await leaving()).toMatchObject({ enabled: false, disabled: { reason: REASON } });
      expect(place.hits).toHaveLength(1);
    } finally {
      client.close();
      await daemon.close();
      await upstream.close();
    }
  }, 60_000);
});
