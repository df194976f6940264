import { until } from '../../support/until';
import { stats, type Stats } from '../../../src/contract/stats';
import { connection } from '../../../src/contract/connection';
import { subscription } from '../../../src/contract/subscription';
import { eventSummary } from '../../../src/contract/event';
import { type Delivery, delivery } from '../../../src/contract/delivery';
import { replayDetail, type ReplaySummary, replaySummary } from '../../../src/contract/replay';
import type { LiveGap } from '../../../src/contract/live';
import { RouterWorker } from '../../../src/relay/router/router.worker';
import { Listener, listen, receiver, startReceiver, switchboard, useDashboards } from './dashboards';

useDashboards();

it('is told which targets another client pauses, resumes and removes, at once', async () => {
  const { id } = await switchboard.addTarget('watched', receiver.url, ['watched.*']);
  const listener = await listen();
  const changed = () =>
    listener.of<{ target_ids: string[] }>('targets').flatMap((message) => message.target_ids);
  const changes: [method: string, path: string][] = [
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['DELETE', ''],
  ];
  for (const [method, path] of changes) {
    const before = changed().length;
    await switchboard.ask(`/targets/${id}${path}`, { method });
    await until(`the message after ${method} ${path}`, () => changed().slice(before).includes(id));
  }
});

const lastSeq = async () => (await switchboard.read(stats, '/stats')).last_seq;

describe('what is published', () => {
  it('is the current state, then each event and each change of a delivery, as in the contract', async () => {
    const { id: targetId } = await switchboard.addTarget('live', receiver.url, ['live.*']);
    const listener = await listen();
    const [standing] = listener.of<{ connection: unknown; subscription: unknown }>('connection');
    expect(connection.parse(standing!.connection)).toEqual(standing!.connection);
    expect(subscription.parse(standing!.subscription)).toEqual(standing!.subscription);
    const [counters] = listener.of<Stats>('counters');
    expect(stats.parse(counters)).toEqual(counters);

    const id = await switchboard.emit('live.event', { id: 1, name: 'Told' });
    await until('the event', () => listener.events.some((event) => event.id === id));
    const summary = listener.events.find((event) => event.id === id)!;
    expect(eventSummary.parse(summary)).toEqual(summary);
    expect(summary).toMatchObject({ type: 'live.event', entity: 'live:1', name: 'Told', status: 'pending' });
    const deliveries = () => listener.of<Delivery[]>('deliveries').flat();
    await until('the delivery', () =>
      deliveries().some(({ event_id, state }) => event_id === id && state === 'succeeded'),
    );
    const published = deliveries().find(({ event_id }) => event_id === id)!;
    expect(delivery.parse(published)).toEqual(published);
    expect(published.target_id).toBe(targetId);
  });

  it('says of an event that is not compared with the state before yet that it is pending, and when that is over', async () => {
    const router = RouterWorker.prototype as unknown as { read: () => Promise<void> };
    const stalled = jest.spyOn(router, 'read').mockResolvedValue();
    const filter = { 'data.n': { $became: 2 } };
    const target = await switchboard.addTarget('on changes', receiver.url, ['compared.*'], { filter });
    const listener = await listen();
    const id = await switchboard.emit('compared.created', { id: 1, n: 1 });
    await until('the event', () => listener.events.some((event) => event.id === id));
    const found = listener.events.find((event) => event.id === id);
    expect(found).toMatchObject({ status: 'pending', targets: { pending: 1 } });
    stalled.mockRestore();
    await switchboard.emit('compared.created', { id: 2, n: 1 });
    await until('that others have changed', () =>
      listener.of<[]>('deliveries').some((some) => some.length === 0),
    );
    expect(await switchboard.event(id)).toMatchObject({ status: 'unmatched' });
    await switchboard.removeTarget(target);
  });

  it('includes a delivery that ends without an attempt, and the one that is promoted behind it', async () => {
    const failing = await startReceiver((response) => void response.writeHead(422).end());
    const { id: targetId } = await switchboard.addTarget('ordered', failing.url, ['ordered.*'], {
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] } },
    });
    const first = await switchboard.emit('ordered.event');
    const dead = await switchboard.deliveryOnce(first, targetId, ({ state }) => state === 'dead');
    const second = await switchboard.emit('ordered.event');
    expect(await switchboard.ask(`/targets/${targetId}/pause`, { method: 'POST' })).toMatchObject({
      status: 200,
    });
    const listener = await listen();
    const json = { reason: 'not needed' };
    await switchboard.ask(`/deliveries/${dead.id}/discard`, { method: 'POST', json });
    const published = (event: string) =>
      listener
        .of<Delivery[]>('deliveries')
        .flat()
        .filter(({ event_id }) => event_id === event)
        .map(({ state }) => state);
    await until('both', () => published(first).length > 0 && published(second).length > 0);
    expect([published(first), published(second)]).toEqual([['cancelled'], ['pending']]);
  });

  it('is sent at most every 100 ms, however much happens', async () => {
    await switchboard.addTarget('busy', receiver.url, ['busy.*']);
    const from = await lastSeq();
    const listener = await listen({}, { last_seq: from });
    const startedAt = performance.now();
    const whileBusy = async (action: (i: number) => Promise<unknown>) => {
      for (let i = 0; performance.now() - startedAt < 1_500; i += 1) await action(i);
    };
    await Promise.all([
      whileBusy(() => Promise.all([switchboard.emit('busy.event'), switchboard.emit('busy.event')])),
      // Each changes the subscription: the signature is in another header.
      whileBusy((i) => switchboard.notify(switchboard.sign('busy.header'), { header: `x-name-${i % 2}` })),
    ]);
    const last = await lastSeq();
    await until('all of it', () => listener.seqs.includes(last));
    const spanMs = performance.now() - startedAt;
    // System events may follow.
    expect(listener.seqs.filter((seq) => seq <= last)).toHaveLength(last - from);
    for (const kind of ['events', 'deliveries', 'counters', 'connection']) {
      const count = listener.messages.filter((one) => one.kind === kind).length;
      expect(count).toBeGreaterThan(1);
      expect({ kind, count, within: count <= spanMs / 100 + 2 }).toEqual({ kind, count, within: true });
    }
  });
});

describe('what is published about replays', () => {
  it('is their progress, at most twice a second, and nothing while there is none', async () => {
    const { id: targetId } = await switchboard.addTarget('replayed', receiver.url, ['replayed.*']);
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1) ids.push(await switchboard.emit('replayed.event'));
    const listener = await listen();
    const json = { filter: { types: ['replayed.*'] }, target_ids: [targetId], rate: { per_second: 5 } };
    const created = await switchboard.read(replayDetail, '/replays', { method: 'POST', json });
    const startedAt = performance.now();
    const plans = () =>
      listener
        .of<{ replays: ReplaySummary[] }>('replays')
        .flatMap(({ replays }) => replays.filter(({ id }) => id === created.id));
    await until('some of it', () => plans().filter(({ events }) => events > 0).length > 2);
    await switchboard.ask(`/replays/${created.id}/pause`, { method: 'POST' });
    await until('the pause', () => plans().at(-1)!.state === 'paused');
    const spanMs = performance.now() - startedAt;
    const published = plans();
    expect(replaySummary.parse(published[0])).toEqual(published[0]);
    expect(published.length).toBeGreaterThan(2);
    expect(published.length).toBeLessThanOrEqual(spanMs / 500 + 2);
    expect(published.map(({ events }) => events)).toEqual(
      published.map(({ events }) => events).toSorted((a, b) => a - b),
    );
    expect(published.find(({ events, total }) => events > 0 && events < total)).toMatchObject({ total: 60 });

    // Counters are still sent meanwhile.
    const counters = listener.of('counters').length;
    await until('three seconds', () => listener.of('counters').length > counters + 3);
    expect(plans()).toEqual(published);
    await switchboard.ask(`/replays/${created.id}/cancel`, { method: 'POST' });
    await until('the end', () => plans().at(-1)!.state === 'cancelled');
    expect(plans().at(-1)!.ended_at).not.toBeNull();
  });
});

describe('a client that reconnects', () => {
  it('receives what it missed, once and in order, while more events arrive', async () => {
    for (let i = 0; i < 12; i += 1) await switchboard.emit('missed.event');
    const flowing = new AbortController();
    const flow = (async () => {
      while (!flowing.signal.aborted)
        await Promise.all(Array.from({ length: 4 }, () => switchboard.emit('flow.event')));
    })();
    const listeners: { after: number; listener: Listener }[] = [];
    for (let i = 0; i < 12; i += 1) {
      // Counted from now: more arrives with every client, and would soon exceed one message.
      const after = (await lastSeq()) - i;
      listeners.push({ after, listener: await listen({}, { last_seq: after }) });
    }
    flowing.abort();
    await flow;
    const last = await lastSeq();
    for (const { after, listener } of listeners) {
      await until('the last event', () => listener.seqs.includes(last));
      const expected = Array.from({ length: last - after }, (_, i) => after + 1 + i);
      expect(listener.seqs).toEqual(expected);
      expect(listener.of('gap')).toEqual([]);
    }
  });

  it('receives nothing that it has already seen', async () => {
    const listener = await listen({}, { last_seq: await lastSeq() });
    const id = await switchboard.emit('only.this');
    await until('the new one', () => listener.events.length > 0);
    expect(listener.events.map((event) => event.id)).toEqual([id]);
  });

  it('without a last seq receives only new events', async () => {
    const before = await lastSeq();
    const listener = await listen();
    await switchboard.emit('only.this');
    await until('the new one', () => listener.events.length > 0);
    expect(Math.min(...listener.seqs)).toBeGreaterThan(before);
  });

  it('and missed more than fits in a message receives the gap, and then what follows it', async () => {
    const after = await lastSeq();
    for (let i = 0; i < 12; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => switchboard.emit('missed.event')));
    const newest = await lastSeq();
    const listener = await listen({}, { last_seq: after });
    await until('the gap', () => listener.of('gap').length > 0);
    const [gap] = listener.of<LiveGap>('gap');
    expect(gap).toEqual({ after_seq: after, last_seq: newest, fetch: '/api/v1/events' });
    const id = await switchboard.emit('behind.it');
    await until('the next event', () => listener.events.length > 0);
    expect(listener.events.map((event) => event.id)).toEqual([id]);
  });

  it('receives new events if its last seq is not a number', async () => {
    const listener = await listen({}, { last_seq: 'all' });
    const id = await switchboard.emit('only.this');
    await until('the new one', () => listener.events.some((event) => event.id === id));
  });
});
