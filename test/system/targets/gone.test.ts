import { isDeepStrictEqual } from 'node:util';
import { alertSummary } from '../../../src/contract/alert';
import { auditEntry } from '../../../src/contract/audit';
import { deadLetterCauses } from '../../../src/contract/dead-letter';
import { delivery, deliveryJob, type Delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target, type Target } from '../../../src/contract/target';
import { queryStored } from '../../support/daemon/stored-data';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, allowWritesOf } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification } from '../../support/notification';
import { useFastIntervals } from '../../support/fast-intervals';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const REASON = 'HTTP 410 Gone.';
const startReceiver = useReceivers();

describe('a target that responds with 410', () => {
  let switchboard: Switchboard;

  useFastIntervals(300);
  beforeAll(async () => {
    switchboard = await Switchboard.start();
  });

  afterEach(() => assertBalanced({ url: switchboard.origin, token: switchboard.adminToken }));

  afterAll(() => switchboard.end());

  const shown = (id: string) => switchboard.read(target, `/targets/${id}`);
  const request = (id: string, name: 'pause' | 'resume') =>
    switchboard.ask(`/targets/${id}/${name}`, { method: 'POST' });
  const deliveriesOf = async (id: string): Promise<Delivery[]> =>
    (await switchboard.read(pageOf(delivery), `/deliveries?target=${id}&limit=200`)).data;
  const waitUntilEnded = (id: string) =>
    until('nothing is queued', async () => (await shown(id)).backlog.open === 0);
  const alerts = async (id: string) =>
    (await switchboard.read(pageOf(alertSummary), '/alerts')).data.filter(({ subject }) => subject === id);

  it('receives no more events, and its queued deliveries become dead letters, which can be retried', async () => {
    const receiver = await startReceiver(410);
    const { id } = await switchboard.addTarget('gone', receiver.url, ['gone.*'], {
      policy: { concurrency: 1 },
    });
    await request(id, 'pause');
    const events: string[] = [];
    for (let i = 0; i < 5; i += 1) events.push(await switchboard.emit('gone.event'));
    await request(id, 'resume');
    await waitUntilEnded(id);

    expect(receiver.hits).toHaveLength(1);
    expect(await shown(id)).toMatchObject({ enabled: false, disabled: { reason: REASON }, paused: null });
    for (const one of await deliveriesOf(id))
      expect(one).toMatchObject({ state: 'dead', last_error: 'gone', note: expect.stringContaining(REASON) });
    expect(
      (await switchboard.read(deadLetterCauses, `/dead-letters/causes?target=${id}`)).data,
    ).toMatchObject([{ error: 'gone', deliveries: 5 }]);
    expect((await switchboard.read(pageOf(auditEntry), `/audit?subject=${id}&limit=1`)).data).toMatchObject([
      { action: 'target.disable', actor: { kind: 'switchboard' } },
    ]);
    await until('the alert is raised', async () => (await alerts(id)).length > 0);
    expect(await alerts(id)).toMatchObject([
      { type: 'relay.target.disabled', severity: 'critical', data: { target_id: id, reason: REASON } },
    ]);
    expect(await switchboard.event(await switchboard.emit('gone.event'))).toMatchObject({
      status: 'unmatched',
    });

    const named = { target_ids: [id] };
    const [dead] = await deliveriesOf(id);
    for (const [path, json] of [
      ['/replays/preview', { all: true, ...named }],
      ['/replays', { all: true, ...named }],
      [`/events/${events[0]}/replay`, named],
      [`/events/${events[0]}/resend`, { body: '{}', ...named }],
      [`/deliveries/${dead!.id}/retry`, undefined],
      ['/deliveries/retry', { ids: [dead!.id] }],
      ['/deliveries/retry', { target: id }],
    ] as const)
      expect(await switchboard.ask(path, { method: 'POST', json })).toMatchObject({
        status: 409,
        json: { code: 'target_gone', detail: expect.stringContaining(REASON) },
      });
    // A retry of many, whose targets are not named, leaves them out.
    const all = { error: 'gone' };
    expect(
      await switchboard.read(deliveryJob, '/deliveries/retry', { method: 'POST', json: all }),
    ).toMatchObject({ total: 0 });
    expect(await deliveriesOf(id)).toHaveLength(5);

    await switchboard.restart();
    expect(await shown(id)).toMatchObject({ enabled: false, disabled: { reason: REASON } });

    receiver.respondWith(204);
    const enabled = await switchboard.read(target, `/targets/${id}`, {
      method: 'PATCH',
      json: { enabled: true },
    });
    expect(enabled).toMatchObject({ enabled: true, disabled: null });
    await until('the alert is resolved', async () => (await alerts(id)).length === 0);
    const json = { target: id, error: 'gone' };
    await switchboard.read(deliveryJob, '/deliveries/retry', { method: 'POST', json });
    await until('all of them arrive', () => events.every((event) => receiver.of(event).length > 0));
    await waitUntilEnded(id);
    await switchboard.removeTarget({ id });
  });

  it('waits for requests in flight, and counts those that succeed', async () => {
    const held: ((status: number) => void)[] = [];
    const receiver = await startReceiver((response) => {
      held.push((status) => void response.writeHead(status).end());
    });
    const { id } = await switchboard.addTarget('leaving', receiver.url, ['leaving.*'], {
      policy: { concurrency: 3 },
    });
    await Promise.all(Array.from({ length: 6 }, () => switchboard.emit('leaving.event')));
    await until('three are in flight', () => held.length === 3);
    held[0]!(410);
    await until('the three queued ones are dead', async () => (await shown(id)).backlog.open === 2);
    held[1]!(204);
    held[2]!(503);
    await waitUntilEnded(id);
    const states = (await deliveriesOf(id)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['dead', 'dead', 'dead', 'dead', 'dead', 'succeeded']);
    expect(receiver.hits).toHaveLength(3);
    await switchboard.removeTarget({ id });
  });

  it.each(['continue', 'stop'] as const)(
    'also ends the deliveries in lanes, with on_dead %s',
    async (onDead) => {
      const receiver = await startReceiver(410);
      const { id } = await switchboard.addTarget(`lanes ${onDead}`, receiver.url, [`lanes.${onDead}`], {
        policy: { ordering: 'entity', on_dead: onDead, concurrency: 1 },
      });
      await request(id, 'pause');
      for (let i = 0; i < 12; i += 1) await switchboard.emit(`lanes.${onDead}`, { id: i % 3 });
      await request(id, 'resume');
      await waitUntilEnded(id);
      const all = await deliveriesOf(id);
      expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['dead']));
      expect(all.filter(({ blocks_lane: stops }) => stops)).toHaveLength(onDead === 'stop' ? 3 : 0);
      expect(receiver.hits).toHaveLength(1);
      await switchboard.removeTarget({ id });
    },
  );

  it('ends many deliveries in small steps, between which notifications are stored', async () => {
    const receiver = await startReceiver(410);
    const { id } = await switchboard.addTarget('crowded', receiver.url, ['crowded.*'], {
      policy: { concurrency: 1 },
    });
    await request(id, 'pause');
    for (let i = 0; i < 20; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => switchboard.emit('crowded.event')));
    await request(id, 'resume');
    await waitUntilEnded(id);
    const steps = await queryStored<{ count: number }>(
      switchboard.dataDir,
      `SELECT count(*) AS count FROM deliveries d JOIN events e ON e.seq = d.event_seq
       WHERE e.type = 'crowded.event' GROUP BY d.finished_at`,
    );
    // Deliveries that were ended in one step have the same finish time.
    expect(Math.max(...steps.map(({ count }) => count))).toBeLessThanOrEqual(300);
    expect(receiver.hits).toHaveLength(1);
    await switchboard.removeTarget({ id });
  });
});

describe('a target that responds with 410 while the disk fails', () => {
  it('is shown as disabled and sent nothing more, and is stored as disabled once the disk recovers', async () => {
    const upstream = await FakeCopilot.start();
    const daemon = await Daemon.startConnected({ upstream });
    const client = new WebhookSender(daemon.webhook);
    try {
      let respond: ((status: number) => void) | null = null;
      const receiver = await startReceiver((response) => {
        respond = (status) => void response.writeHead(status).end();
      });
      await daemon.addTarget('leaving', receiver.url, { policy: { concurrency: 1 } });
      const goneTarget = async () => (await daemon.get<{ data: Target[] }>('/targets')).data[0]!;
      const send = async (id: number) => {
        const { body } = dealNotification({ id, webhookId: daemon.webhook.webhook_id });
        return (await client.send(body)).status;
      };
      for (const id of [1, 2, 3, 4]) expect(await send(id)).toBe(200);
      await until('the first is in flight', () => respond !== null);

      failWritesOf(daemon.pid);
      respond!(410);
      await until('it is disabled', async () => (await goneTarget()).disabled !== null);
      expect(await goneTarget()).toMatchObject({ enabled: false, disabled: { reason: REASON } });
      expect(await send(5)).toBe(503);
      expect(daemon.rows('SELECT enabled, disabled_at FROM targets')).toEqual([
        { enabled: 1, disabled_at: null },
      ]);

      allowWritesOf(daemon.pid);
      await until('nothing is queued', async () => (await goneTarget()).backlog.open === 0);
      await until('it is stored as disabled', () => {
        const [row] = daemon.rows<object>('SELECT enabled, disabled_reason AS reason FROM targets');
        return isDeepStrictEqual({ ...row }, { enabled: 0, reason: REASON });
      });
      expect(daemon.rows('SELECT DISTINCT state, last_error FROM deliveries')).toEqual([
        { state: 'dead', last_error: 'gone' },
      ]);
      expect(receiver.hits).toHaveLength(1);
      expect(await send(6)).toBe(200);
      await assertBalanced(daemon);

      expect(await daemon.stop()).toBe(0);
      await daemon.restart();
      expect(await goneTarget()).toMatchObject({ enabled: false, disabled: { reason: REASON } });
      expect(receiver.hits).toHaveLength(1);
    } finally {
      client.close();
      await daemon.close();
      await upstream.close();
    }
  });
});
