import type { AlertSummary } from '../../../src/contract/alert';
import { deliveryDetail } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import { target } from '../../../src/contract/target';
import { SqliteQueueReads } from '../../../src/relay/database/journal/sqlite-queue-reads';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, letWrite } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification } from '../../support/notification';
import { runOrder } from '../../support/runs/order-run';
import type { RecordingTarget, Behaviour } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let board: Switchboard;
const receiver = useReceivers();

beforeAll(async () => {
  board = await Switchboard.start();
});

afterEach(() => assertBalanced({ url: board.origin, token: board.adminToken }));

afterAll(async () => {
  await board.end();
});

/** An event about a deal: its type carries the number of the deal, so that the target's record tells which one came. */
const emit = (type: string, deal: number) => board.emit(type, { id: deal });
const ids = (place: RecordingTarget) => place.hits.map(({ headers }) => String(headers['webhook-id']));
const stateOf = async (event: string, targetId: string) =>
  (await board.event(event)).deliveries.find(({ target_id }) => target_id === targetId)!.state;

describe('the order of events at a target', () => {
  it('is that of each deal through failures and kills of the daemon, by the record of the target', async () => {
    const found = await runOrder({
      entities: 100,
      perEntity: 5,
      failing: 0.3,
      kills: 2,
      withinMs: 1_500,
      replays: 20,
    });
    expect(found.failed).toBeGreaterThan(100);
    expect(found).toMatchObject({ overtaken: [], missing: [], unfinished: [] });
  }, 180_000);

  it('holds up one deal behind an event that fails, and no other deal', async () => {
    const stuck = new Set<string>();
    const place = await receiver((response, { headers }) => {
      response.writeHead(stuck.has(String(headers['webhook-id'])) ? 404 : 204).end();
    });
    const { id: targetId } = await board.addTarget('by deal', place.url, ['deal.entity'], {
      policy: { ordering: 'entity' },
    });
    await board.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const first = await emit('deal.entity', 1);
    stuck.add(first);
    const behind = [await emit('deal.entity', 1), await emit('deal.entity', 1)];
    const other = [await emit('deal.entity', 2), await emit('deal.entity', 2)];
    for (const event of behind) expect(await stateOf(event, targetId)).toBe('waiting');
    const { backlog } = await board.read(target, `/targets/${targetId}`);
    expect(backlog).toMatchObject({ open: 5 });

    await board.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    for (const event of other)
      await board.deliveryOnce(event, targetId, ({ state }) => state === 'succeeded');
    await board.deliveryOnce(first, targetId, ({ attempt_count }) => attempt_count === 1);
    expect(ids(place).filter((id) => behind.includes(id))).toEqual([]);

    stuck.clear();
    board.clock.move(7 * SECOND);
    for (const event of behind)
      await board.deliveryOnce(event, targetId, ({ state }) => state === 'succeeded');
    expect(ids(place).filter((id) => id === first || behind.includes(id))).toEqual([first, first, ...behind]);
  });

  it('is one for all where it is strict, after a pause too', async () => {
    const place = await receiver();
    const { id: targetId } = await board.addTarget('strict', place.url, ['deal.strict'], {
      policy: { ordering: 'strict' },
    });
    await board.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let deal = 1; deal <= 30; deal += 1) events.push(await emit('deal.strict', deal % 7));
    expect(place.hits).toEqual([]);
    await board.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    await until('all of them', () => place.hits.length >= 30);
    expect(ids(place)).toEqual(events);
    expect(place.peak).toBe(1);
  });

  it('is that of events which were read while the one before them was on its way', async () => {
    const place = await receiver();
    const { id: targetId } = await board.addTarget('read meanwhile', place.url, ['deal.meanwhile'], {
      policy: { ordering: 'strict' },
    });
    await board.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let deal = 1; deal <= 60; deal += 1) events.push(await emit('deal.meanwhile', deal));
    const looks = jest.spyOn(SqliteQueueReads.prototype, 'takeDue');
    try {
      await board.ask(`/targets/${targetId}/resume`, { method: 'POST' });
      await until('all of them', () => place.hits.length >= events.length);
      // What is due is looked for at the start, and a few times a second in any case.
      const fruitful = looks.mock.results.filter(({ value }) => (value as unknown[]).length > 0);
      expect(fruitful.length).toBeLessThan(events.length / 2);
    } finally {
      looks.mockRestore();
    }
    expect(ids(place)).toEqual(events);
  });

  it('leaves out what is discarded while the one before it is on its way', async () => {
    const held: (() => void)[] = [];
    const place = await receiver((response) => void held.push(() => response.writeHead(204).end()));
    const { id: targetId } = await board.addTarget('read ahead', place.url, ['deal.ahead'], {
      policy: { ordering: 'strict' },
    });
    await board.ask(`/targets/${targetId}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let i = 0; i < 4; i += 1) events.push(await emit('deal.ahead', i));
    const [first, second, third, fourth] = events as [string, string, string, string];
    await board.ask(`/targets/${targetId}/resume`, { method: 'POST' });
    await until('the first is on its way', () => held.length === 1);
    // By now the second one was read, to go out as soon as the first is through.
    await board.ask('/stats');
    const { deliveries } = await board.event(second);
    await board.read(deliveryDetail, `/deliveries/${deliveries[0]!.id}/discard`, {
      method: 'POST',
      json: { reason: 'not for this target' },
    });
    for (const answered of [1, 2, 3]) {
      await until('the next is on its way', () => held.length === answered);
      held[answered - 1]!();
    }
    await board.deliveryOnce(fourth, targetId, ({ state }) => state === 'succeeded');
    expect(ids(place)).toEqual([first, third, fourth]);
    expect(await stateOf(second, targetId)).toBe('cancelled');
  });

  it('goes on behind an event that died, or stops there until it is sent again or discarded', async () => {
    const refused = new Set<string>();
    const behaviour: Behaviour = (response, { headers }) =>
      void response.writeHead(refused.has(String(headers['webhook-id'])) ? 422 : 204).end();
    const policy = { ordering: 'entity', retry: { delays_s: [] } } as const;
    const going = await receiver(behaviour);
    const stopping = await receiver(behaviour);
    const { id: goesOn } = await board.addTarget('goes on', going.url, ['deal.dying'], { policy });
    const { id: stops } = await board.addTarget('stops', stopping.url, ['deal.dying'], {
      policy: { ...policy, on_dead: 'stop' },
    });
    for (const id of [goesOn, stops]) await board.ask(`/targets/${id}/pause`, { method: 'POST' });
    const events: string[] = [];
    for (let i = 0; i < 4; i += 1) events.push(await emit('deal.dying', 1));
    const [first, second, third, fourth] = events as [string, string, string, string];
    refused.add(first);
    for (const id of [goesOn, stops]) await board.ask(`/targets/${id}/resume`, { method: 'POST' });

    for (const event of [second, third, fourth])
      await board.deliveryOnce(event, goesOn, ({ state }) => state === 'succeeded');
    expect(new Set(ids(going))).toEqual(new Set([first, second, third, fourth]));

    const dead = await board.deliveryOnce(first, stops, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({
      stops_lane: true,
      lane: 'deal:1',
      note: expect.stringMatching(/422.*1 try/),
    });
    board.clock.move(HOUR);
    expect(ids(stopping)).toEqual([first]);
    expect(await stateOf(second, stops)).toBe('waiting');

    // Sent again it takes its place at the head; refused once more, it stops the lane once more.
    const retry = (id: string) => board.read(deliveryDetail, `/deliveries/${id}/retry`, { method: 'POST' });
    const again = await retry(dead.id);
    expect(again).toMatchObject({ trigger: 'manual', lane: 'deal:1', out_of_order: false });
    await until('it is dead again', async () => (await board.delivery(again.id)).state === 'dead');
    expect(await stateOf(second, stops)).toBe('waiting');
    expect((await board.delivery(dead.id)).stops_lane).toBe(false);

    const discarded = await board.read(deliveryDetail, `/deliveries/${again.id}/discard`, {
      method: 'POST',
      json: { reason: 'not for this target' },
    });
    expect(discarded).toMatchObject({ state: 'cancelled', note: 'Discarded: not for this target' });
    for (const event of [second, third, fourth])
      await board.deliveryOnce(event, stops, ({ state }) => state === 'succeeded');
    expect(ids(stopping)).toEqual([first, first, second, third, fourth]);
  });

  it('is not that of what is sent by hand, which says so', async () => {
    const place = await receiver();
    const { id: targetId } = await board.addTarget('by hand', place.url, ['deal.hand'], {
      policy: { ordering: 'strict' },
    });
    const event = await emit('deal.hand', 1);
    const { id } = await board.deliveryOnce(event, targetId, ({ state }) => state === 'succeeded');
    const again = await board.read(deliveryDetail, `/deliveries/${id}/retry`, { method: 'POST' });
    expect(again).toMatchObject({ lane: null, out_of_order: true });
    expect(await board.delivery(id)).toMatchObject({ lane: '*', out_of_order: false });
  });

  it('changes for new events when the target\u2019s does; what waits drains', async () => {
    let busy = true;
    const place = await receiver((response) => void response.writeHead(busy ? 404 : 204).end());
    const { id: targetId } = await board.addTarget('changing', place.url, ['deal.changing'], {
      policy: { ordering: 'entity' },
    });
    const first = await emit('deal.changing', 1);
    await board.deliveryOnce(first, targetId, ({ attempt_count }) => attempt_count === 1);
    const waiting = await emit('deal.changing', 1);
    await board.read(target, `/targets/${targetId}`, {
      method: 'PATCH',
      json: { policy: { ordering: 'none' } },
    });
    busy = false;
    const free = await emit('deal.changing', 1);
    await board.deliveryOnce(free, targetId, ({ state }) => state === 'succeeded');
    expect(await stateOf(waiting, targetId)).toBe('waiting');
    board.clock.move(7 * SECOND);
    await board.deliveryOnce(waiting, targetId, ({ state }) => state === 'succeeded');
    expect(ids(place)).toEqual([first, free, first, waiting]);
  });
});

describe('strict order while the disk fails', () => {
  it('sends nothing behind an event whose success is not on disk yet', async () => {
    const upstream = await FakeCopilot.start();
    const daemon = await Daemon.startConnected({ upstream });
    const client = new WebhookSender(daemon.webhook);
    try {
      const held: (() => void)[] = [];
      const place = await receiver((response) => void held.push(() => response.writeHead(204).end()));
      const { id: targetId } = await daemon.addTarget('strict', place.url, {
        policy: { ordering: 'strict' },
      });
      await daemon.request('POST', `/targets/${targetId}/pause`);
      for (const id of [1, 2, 3]) {
        const { body } = dealNotification({ id, webhookId: daemon.webhook.webhook_id });
        expect((await client.send(body)).status).toBe(200);
      }
      await daemon.request('POST', `/targets/${targetId}/resume`);
      await until('the first is on its way', () => held.length === 1);

      failWritesOf(daemon.pid);
      held[0]!();
      const alerts = async () => (await daemon.get<Page<AlertSummary>>('/alerts')).data;
      await until('its result was refused', async () =>
        (await alerts()).some(({ type }) => type === 'relay.disk.failed'),
      );
      await daemon.get('/stats');
      expect(place.hits).toHaveLength(1);

      letWrite(daemon.pid);
      for (const answered of [2, 3]) {
        await until('the next is on its way', () => held.length === answered);
        held[answered - 1]!();
      }
      await until('nothing is open', async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0);
      expect(place.hits).toHaveLength(3);
      await assertBalanced(daemon);
    } finally {
      client.close();
      await daemon.close();
      await upstream.close();
    }
  }, 60_000);
});
