import { deliveryDetail } from '../../../src/contract/delivery';
import { target } from '../../../src/contract/target';
import { SqliteQueueReads } from '../../../src/relay/database/sqlite/queue-reads';
import { TICK_INTERVAL_MS } from '../../../src/relay/deliveries/queue/dispatch.worker';
import { assertBalanced } from '../../support/daemon/ledger';
import { runOrder } from '../../support/runs/order-run';
import type { RecordingTarget, Behaviour } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterEach(() => assertBalanced({ url: switchboard.origin, token: switchboard.adminToken }));

afterAll(async () => {
  await switchboard.end();
});

/** Emits an event of a deal; the target's record then shows which deal an event belongs to. */
const emit = (type: string, deal: number) => switchboard.emit(type, { id: deal });
const ids = (receiver: RecordingTarget) => receiver.hits.map(({ headers }) => String(headers['webhook-id']));
const stateOf = async (event: string, targetId: string) =>
  (await switchboard.event(event)).deliveries.find(({ target_id }) => target_id === targetId)!.state;

describe('the order of events at a target', () => {
  it('is kept per deal through failures and kills of the daemon', async () => {
    const found = await runOrder({
      entities: 60,
      perEntity: 4,
      failing: 0.3,
      kills: 2,
      withinMs: 1_500,
      replays: 20,
    });
    expect(found.failed).toBeGreaterThan(40);
    expect(found).toMatchObject({ overtaken: [], missing: [], unfinished: [] });
  });

  it('blocks one deal behind a failing event, and no other deal', async () => {
    const stuck = new Set<string>();
    const receiver = await startReceiver((response, { headers }) => {
      response.writeHead(stuck.has(String(headers['webhook-id'])) ? 404 : 204).end();
    });
    const { id: targetId } = await switchboard.addTarget('by deal', receiver.url, ['deal.entity'], {
      policy: { ordering: 'entity' },
    });
    await switchboard.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const first = await emit('deal.entity', 1);
    stuck.add(first);
    const behind = [await emit('deal.entity', 1), await emit('deal.entity', 1)];
    const other = [await emit('deal.entity', 2), await emit('deal.entity', 2)];
    for (const event of behind) expect(await stateOf(event, targetId)).toBe('waiting');
    const { backlog } = await switchboard.read(target, `/targets/${targetId}`);
    expect(backlog).toMatchObject({ open: 5 });

    await switchboard.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    for (const event of other)
      await switchboard.deliveryOnce(event, targetId, ({ state }) => state === 'succeeded');
    await switchboard.deliveryOnce(first, targetId, ({ attempt_count }) => attempt_count === 1);
    expect(ids(receiver).filter((id) => behind.includes(id))).toEqual([]);

    stuck.clear();
    switchboard.clock.move(7 * SECOND);
    for (const event of behind)
      await switchboard.deliveryOnce(event, targetId, ({ state }) => state === 'succeeded');
    expect(ids(receiver).filter((id) => id === first || behind.includes(id))).toEqual([
      first,
      first,
      ...behind,
    ]);
  });

  it('includes all events if it is strict, also after a pause', async () => {
    const receiver = await startReceiver();
    const { id: targetId } = await switchboard.addTarget('strict', receiver.url, ['deal.strict'], {
      policy: { ordering: 'strict' },
    });
    await switchboard.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let deal = 1; deal <= 30; deal += 1) events.push(await emit('deal.strict', deal % 7));
    expect(receiver.hits).toEqual([]);
    await switchboard.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    await until('all have arrived', () => receiver.hits.length >= 30);
    expect(ids(receiver)).toEqual(events);
    expect(receiver.peak).toBe(1);
  });

  it('is kept for events that were read while their predecessor was in flight', async () => {
    const receiver = await startReceiver();
    const { id: targetId } = await switchboard.addTarget('read meanwhile', receiver.url, ['deal.meanwhile'], {
      policy: { ordering: 'strict' },
    });
    await switchboard.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let deal = 1; deal <= 60; deal += 1) events.push(await emit('deal.meanwhile', deal));
    const reads = jest.spyOn(SqliteQueueReads.prototype, 'takeDue');
    const started = performance.now();
    try {
      await switchboard.ask(`/targets/${targetId}/resume`, { method: 'POST' });
      await until('all have arrived', () => receiver.hits.length >= events.length);
      // Due deliveries are read at the start, and at each tick, of which a busy machine needs many.
      const ticks = (performance.now() - started) / TICK_INTERVAL_MS;
      const results = await Promise.all(reads.mock.results.map(({ value }) => value as Promise<unknown[]>));
      const nonEmpty = results.filter(({ length }) => length > 0);
      expect(nonEmpty.length).toBeLessThan(Math.max(events.length / 2, ticks + 2));
    } finally {
      reads.mockRestore();
    }
    expect(ids(receiver)).toEqual(events);
  });

  it('skips an event that is discarded while its predecessor is in flight', async () => {
    const held: (() => void)[] = [];
    const receiver = await startReceiver((response) => void held.push(() => response.writeHead(204).end()));
    const { id: targetId } = await switchboard.addTarget('read ahead', receiver.url, ['deal.ahead'], {
      policy: { ordering: 'strict' },
    });
    await switchboard.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let i = 0; i < 4; i += 1) events.push(await emit('deal.ahead', i));
    const [first, second, third, fourth] = events as [string, string, string, string];
    await switchboard.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    await until('the first is in flight', () => held.length === 1);
    // By now the second has been read ahead, to be sent as soon as the first has finished.
    await switchboard.ask('/stats');
    const { deliveries } = await switchboard.event(second);
    await switchboard.read(deliveryDetail, `/deliveries/${deliveries[0]!.id}/discard`, {
      method: 'POST',
      json: { reason: 'not for this target' },
    });
    for (const answered of [1, 2, 3]) {
      await until('the next is in flight', () => held.length === answered);
      held[answered - 1]!();
    }
    await switchboard.deliveryOnce(fourth, targetId, ({ state }) => state === 'succeeded');
    expect(ids(receiver)).toEqual([first, third, fourth]);
    expect(await stateOf(second, targetId)).toBe('cancelled');
  });

  it('continues after a dead letter or, if the policy says so, stops until it is retried or discarded', async () => {
    const rejected = new Set<string>();
    const behaviour: Behaviour = (response, { headers }) =>
      void response.writeHead(rejected.has(String(headers['webhook-id'])) ? 422 : 204).end();
    const policy = { ordering: 'entity', retry: { delays_s: [] } } as const;
    const continuing = await startReceiver(behaviour);
    const stopping = await startReceiver(behaviour);
    const { id: continuingId } = await switchboard.addTarget('goes on', continuing.url, ['deal.dying'], {
      policy,
    });
    const { id: stoppingId } = await switchboard.addTarget('stops', stopping.url, ['deal.dying'], {
      policy: { ...policy, on_dead: 'stop' },
    });
    for (const id of [continuingId, stoppingId])
      await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let i = 0; i < 4; i += 1) events.push(await emit('deal.dying', 1));
    const [first, second, third, fourth] = events as [string, string, string, string];
    rejected.add(first);
    for (const id of [continuingId, stoppingId])
      await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });

    for (const event of [second, third, fourth])
      await switchboard.deliveryOnce(event, continuingId, ({ state }) => state === 'succeeded');
    expect(new Set(ids(continuing))).toEqual(new Set([first, second, third, fourth]));

    const dead = await switchboard.deliveryOnce(first, stoppingId, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({
      blocks_lane: true,
      lane: 'deal:1',
      note: expect.stringMatching(/422.*1 attempt/),
    });
    switchboard.clock.move(HOUR);
    expect(ids(stopping)).toEqual([first]);
    expect(await stateOf(second, stoppingId)).toBe('waiting');

    // A retry takes the place of the dead letter; if it is rejected too, it stops the lane again.
    const retry = (id: string) =>
      switchboard.read(deliveryDetail, `/deliveries/${id}/retry`, { method: 'POST' });
    const again = await retry(dead.id);
    expect(again).toMatchObject({ trigger: 'manual', lane: 'deal:1', out_of_order: false });
    await until('it is dead again', async () => (await switchboard.delivery(again.id)).state === 'dead');
    expect(await stateOf(second, stoppingId)).toBe('waiting');
    expect((await switchboard.delivery(dead.id)).blocks_lane).toBe(false);

    const discarded = await switchboard.read(deliveryDetail, `/deliveries/${again.id}/discard`, {
      method: 'POST',
      json: { reason: 'not for this target' },
    });
    expect(discarded).toMatchObject({ state: 'cancelled', note: 'Discarded: not for this target' });
    for (const event of [second, third, fourth])
      await switchboard.deliveryOnce(event, stoppingId, ({ state }) => state === 'succeeded');
    expect(ids(stopping)).toEqual([first, first, second, third, fourth]);
  });

  const deliveredAgain: [string, (event: string, targetId: string) => Promise<{ status: number }>][] = [
    ['replayed', (event) => switchboard.ask(`/events/${event}/replay`, { method: 'POST', json: {} })],
    [
      'edited and sent again',
      (event, id) =>
        switchboard.ask(`/events/${event}/resend`, { method: 'POST', json: { body: {}, target_ids: [id] } }),
    ],
    [
      'part of the replay of a range',
      (_, id) =>
        switchboard.ask('/replays', {
          method: 'POST',
          json: { filter: { target: id } },
        }),
    ],
    [
      'retried with others',
      (_, id) => switchboard.ask('/deliveries/retry', { method: 'POST', json: { target: id } }),
    ],
  ];
  it.each(deliveredAgain)('goes on once the event that stops it is %s', async (how, act) => {
    let rejects = true;
    const receiver = await startReceiver((response) => void response.writeHead(rejects ? 422 : 204).end());
    const { id } = await switchboard.addTarget(`goes on ${how}`, receiver.url, ['deal.stopped'], {
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] } },
    });
    const first = await emit('deal.stopped', 1);
    await switchboard.deliveryOnce(first, id, ({ state }) => state === 'dead');
    const second = await emit('deal.stopped', 2);
    rejects = false;
    expect((await act(first, id)).status).toBeLessThan(300);
    await switchboard.deliveryOnce(second, id, ({ state }) => state === 'succeeded');
    const { json } = await switchboard.ask(`/dead-letters?target=${id}`);
    expect(json).toMatchObject({ data: [] });
    await switchboard.ask(`/targets/${id}`, { method: 'DELETE' });
  });

  it('goes on once the event that stops it was replayed while the target was paused, and this is over', async () => {
    let rejects = true;
    const receiver = await startReceiver((response) => void response.writeHead(rejects ? 422 : 204).end());
    const { id } = await switchboard.addTarget('goes on after a pause', receiver.url, ['deal.paused'], {
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] } },
    });
    const first = await emit('deal.paused', 1);
    await switchboard.deliveryOnce(first, id, ({ state }) => state === 'dead');
    const second = await emit('deal.paused', 2);
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST', json: {} });
    rejects = false;
    const replay = await switchboard.ask(`/events/${first}/replay`, { method: 'POST', json: {} });
    expect(replay.status).toBeLessThan(300);
    expect(await stateOf(second, id)).toBe('waiting');
    expect(ids(receiver)).toEqual([first]);
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    await switchboard.deliveryOnce(second, id, ({ state }) => state === 'succeeded');
    expect(ids(receiver)).toEqual([first, first, second]);
    await switchboard.ask(`/targets/${id}`, { method: 'DELETE' });
  });

  it('does not apply to manual deliveries, which are marked as out of order', async () => {
    const receiver = await startReceiver();
    const { id: targetId } = await switchboard.addTarget('by hand', receiver.url, ['deal.hand'], {
      policy: { ordering: 'strict' },
    });
    const event = await emit('deal.hand', 1);
    const { id } = await switchboard.deliveryOnce(event, targetId, ({ state }) => state === 'succeeded');
    const again = await switchboard.read(deliveryDetail, `/deliveries/${id}/retry`, { method: 'POST' });
    expect(again).toMatchObject({ lane: null, out_of_order: true });
    expect(await switchboard.delivery(id)).toMatchObject({ lane: '*', out_of_order: false });
  });

  it('follows a changed policy for new events; queued events stay in their lanes', async () => {
    let busy = true;
    const receiver = await startReceiver((response) => void response.writeHead(busy ? 404 : 204).end());
    const { id: targetId } = await switchboard.addTarget('changing', receiver.url, ['deal.changing'], {
      policy: { ordering: 'entity' },
    });
    const first = await emit('deal.changing', 1);
    await switchboard.deliveryOnce(first, targetId, ({ attempt_count }) => attempt_count === 1);
    const waiting = await emit('deal.changing', 1);
    await switchboard.read(target, `/targets/${targetId}`, {
      method: 'PATCH',
      json: { policy: { ordering: 'none' } },
    });
    busy = false;
    const free = await emit('deal.changing', 1);
    await switchboard.deliveryOnce(free, targetId, ({ state }) => state === 'succeeded');
    expect(await stateOf(waiting, targetId)).toBe('waiting');
    switchboard.clock.move(7 * SECOND);
    await switchboard.deliveryOnce(waiting, targetId, ({ state }) => state === 'succeeded');
    expect(ids(receiver)).toEqual([first, free, first, waiting]);
  });
});
