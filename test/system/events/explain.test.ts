import { explanation } from '../../../src/contract/explanation';
import { target } from '../../../src/contract/target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const explain = (event: string) => switchboard.read(explanation, `/events/${event}/explain`);
const reasonsFor = async (event: string) =>
  Object.fromEntries(
    (await explain(event)).targets.map(({ name, outcome, reason }) => [name, [outcome, reason]]),
  );
const post = async (path: string, json: object = {}) =>
  expect((await switchboard.ask(path, { method: 'POST', json })).status).toBeLessThan(300);

describe('the explanation of an event', () => {
  it('tells for every target what became of the event and why, and sums it up in a sentence', async () => {
    const good = await startReceiver();
    const bad = await startReceiver(500);
    const down = await startReceiver(503);
    const events = ['deal.*'];
    const targets = {
      delivered: await switchboard.addTarget('delivered', good.url, events),
      failed: await switchboard.addTarget('failed', bad.url, events, {
        policy: { retry: { delays_s: [1, 1] }, breaker: null },
      }),
      down: await switchboard.addTarget('down', down.url, ['*'], {
        policy: { breaker: { failures: 1, first_probe_s: 48, cap_s: 60 } },
      }),
      'down too': await switchboard.addTarget('down too', down.url, ['*'], {
        policy: { breaker: { failures: 1, first_probe_s: 48, cap_s: 60 } },
      }),
      paused: await switchboard.addTarget('paused', good.url, events),
      'other type': await switchboard.addTarget('other type', good.url, ['contact.*', 'task.created']),
      'big deals': await switchboard.addTarget('big deals', good.url, events, {
        filter: { 'data.price': { $exists: true, $gte: 10_000 } },
      }),
      disabled: await switchboard.addTarget('disabled', good.url, events, { enabled: false }),
      deleted: await switchboard.addTarget('deleted', good.url, events),
    };
    await post(`/targets/${targets.paused.id}/pause`, { reason: 'Stock count.' });
    await post(`/targets/${targets.deleted.id}/pause`);
    // Opens the circuit breakers.
    await switchboard.emit('contact.created');
    const isDown = async (id: string) => (await switchboard.read(target, `/targets/${id}`)).breaker !== null;
    for (const { id } of [targets.down, targets['down too']]) await until('it is down', () => isDown(id));

    const event = await switchboard.emit('deal.created', { price: 300 });
    await switchboard.deliveryOnce(event, targets.delivered.id, ({ state }) => state === 'succeeded');
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      await switchboard.deliveryOnce(event, targets.failed.id, ({ attempt_count: n }) => n >= attempts);
      switchboard.clock.move(2 * SECOND);
    }
    await switchboard.deliveryOnce(event, targets.failed.id, ({ state }) => state === 'dead');
    await switchboard.removeTarget(targets.deleted);
    switchboard.clock.move(SECOND);
    const later = await switchboard.addTarget('created later', good.url, events);
    const probeAt = (await switchboard.read(target, `/targets/${targets.down.id}`)).breaker!.probe_at;
    const secondsUntilProbe = () => Math.round((Date.parse(probeAt) - switchboard.clock.now()) / SECOND);

    const before = secondsUntilProbe();
    const { targets: explained, summary } = await explain(event);
    const after = secondsUntilProbe();
    const waits = expect.stringMatching(/^Queued behind an open circuit breaker, next probe in \d+ s\.$/);
    expect(explained.map(({ name, outcome, reason }) => [name, outcome, reason])).toEqual([
      ['delivered', 'delivered', 'Delivered: HTTP 200, 1 attempt.'],
      ['failed', 'failed', 'HTTP 500 after 3 attempts.'],
      ['down', 'queued', waits],
      ['down too', 'queued', waits],
      ['paused', 'queued', 'Queued while the target is paused: Stock count.'],
      ['other type', 'not_sent', 'It does not receive deal.created, only contact.*, task.created.'],
      ['big deals', 'not_sent', 'Filtered out: data.price must be at least 10000, but it is 300.'],
      ['disabled', 'not_sent', 'It is disabled and does not receive new events.'],
      ['created later', 'not_sent', `It was created at ${later.created_at}, after the event was received.`],
      ['deleted', 'not_sent', expect.stringMatching(/^Cancelled\. .*The target was deleted\.$/)],
    ]);
    const shown = Number(/\d+/.exec(explained[2]!.reason)![0]);
    expect(shown).toBeLessThanOrEqual(before);
    expect(shown).toBeGreaterThanOrEqual(after);
    expect(after).toBeGreaterThan(30);
    expect(summary).toBe(
      'Failed at failed (HTTP 500, 3 attempts). Queued for down, down too (behind an open circuit breaker), ' +
        `paused (${explained[4]!.reason.replace(/^Queued |\.$/g, '')}). Delivered to delivered. Cancelled for deleted.`,
    );
    for (const { id } of [...Object.values(targets), later])
      if (id !== targets.deleted.id) await switchboard.removeTarget({ id });
  });

  it('says that settings which were changed after the event may not be those it was judged by', async () => {
    const receiver = await startReceiver();
    const changed = await switchboard.addTarget('changed', receiver.url, ['task.*']);
    const event = await switchboard.emit('company.created');
    switchboard.clock.move(SECOND);
    const json = { events: ['company.*'] };
    await switchboard.ask(`/targets/${changed.id}`, { method: 'PATCH', json });
    const [outcome, reason] = (await reasonsFor(event))['changed']!;
    expect(outcome).toBe('not_sent');
    expect(reason).toMatch(
      /^It would receive the event now, but .* last changed at \S+Z, after the event\.$/,
    );

    await post(`/events/${event}/replay`, { target_ids: [changed.id] });
    await switchboard.deliveryOnce(event, changed.id, ({ state }) => state === 'succeeded');
    expect(await explain(event)).toMatchObject({ summary: 'Delivered to changed.' });
    await switchboard.removeTarget(changed);
  });

  it('says that an event without an entity has no order', async () => {
    const receiver = await startReceiver();
    const ordered = await switchboard.addTarget('by entity', receiver.url, ['ordered.*'], {
      policy: { ordering: 'entity' },
    });
    const whole = await switchboard.emit('ordered.one', { id: 7 });
    const event = await switchboard.emit('ordered.one', { id: 1.5 });
    for (const id of [whole, event])
      await switchboard.deliveryOnce(id, ordered.id, ({ state }) => state === 'succeeded');
    const reasons = [await reasonsFor(whole), await reasonsFor(event)].map((one) => one['by entity']![1]);
    expect(reasons).toEqual([
      'Delivered: HTTP 200, 1 attempt.',
      expect.stringMatching(/^Delivered: .* this event has no entity, so it has no order\.$/),
    ]);
    expect((await switchboard.event(event)).unreadable).toMatch(/data\.id .* no entity/);
    await switchboard.removeTarget(ordered);
  });

  it('counts what is ahead in the lane, and names the dead letter that blocks it', async () => {
    const receiver = await startReceiver(400);
    const ordered = await switchboard.addTarget('ordered', receiver.url, ['ordered.*'], {
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] }, breaker: null },
    });
    await post(`/targets/${ordered.id}/pause`);
    const events = [
      await switchboard.emit('ordered.one'),
      await switchboard.emit('ordered.two'),
      await switchboard.emit('ordered.three'),
    ];
    await post(`/targets/${ordered.id}/resume`);
    await switchboard.deliveryOnce(events[0]!, ordered.id, ({ state }) => state === 'dead');
    expect((await reasonsFor(events[2]!))['ordered']).toEqual([
      'queued',
      `Queued behind a dead letter that blocks the lane of all events: ${events[0]}.`,
    ]);
    await switchboard.removeTarget(ordered);

    const waiting = await switchboard.addTarget('waiting', receiver.url, ['deal.updated'], {
      policy: { ordering: 'entity', retry: { delays_s: [3_600] }, breaker: null },
    });
    const updates = [
      await switchboard.emit('deal.updated', { id: 4_711 }),
      await switchboard.emit('deal.updated', { id: 4_711 }),
    ];
    await switchboard.deliveryOnce(updates[0]!, waiting.id, ({ state }) => state === 'retrying');
    expect((await reasonsFor(updates[1]!))['waiting']).toEqual([
      'queued',
      'Queued behind 1 delivery in the lane of deal:4711.',
    ]);
    await switchboard.removeTarget(waiting);
  });

  it('explains an event that no target received, and rejects an unknown one', async () => {
    const event = await switchboard.emit('deal.deleted');
    expect(await explain(event)).toEqual({
      event_id: event,
      late: false,
      summary: 'There is no target yet.',
      targets: [],
    });
    const unknown = await switchboard.ask(`/events/evt_${'0'.repeat(26)}/explain`);
    expect(unknown).toMatchObject({ status: 404, json: { code: 'event_unknown' } });
  });
});
