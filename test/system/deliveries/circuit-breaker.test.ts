import { join } from 'node:path';
import { delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import type { RecordingTarget } from '../../support/fakes/recording-target';
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

afterAll(async () => {
  await switchboard.end();
});

const shown = (id: string) => switchboard.read(target, `/targets/${id}`);
const isOpen = async (id: string) => (await shown(id)).breaker !== null;
const untilOpen = async (id: string) => {
  await until('the circuit breaker is open', () => isOpen(id));
  return (await shown(id)).breaker!;
};
const emitMany = async (type: string, count: number) => {
  const events: string[] = [];
  for (let i = 0; i < count; i += 1) events.push(await switchboard.emit(type));
  return events;
};
/** Moves the clock to the next probe and waits until it reaches the target. */
async function nextProbe(id: string, receiver: RecordingTarget): Promise<void> {
  const before = receiver.hits.length;
  const { probe_at } = (await shown(id)).breaker!;
  switchboard.clock.move(Math.max(0, Date.parse(probe_at) - switchboard.clock.now()) + SECOND);
  await until('the probe arrives', () => receiver.hits.length > before);
}
const withDatabase = <T>(work: (connection: InstanceType<typeof sqliteDriver>) => T): T => {
  const connection = new sqliteDriver(join(switchboard.dataDir, 'switchboard.db'));
  try {
    return work(connection);
  } finally {
    connection.close();
  }
};

describe('the circuit breaker of a target', () => {
  it('opens after consecutive outages; deliveries stay queued without using up attempts, and all arrive', async () => {
    const receiver = await startReceiver(503);
    const { id } = await switchboard.addTarget('down', receiver.url, ['down.*'], {
      policy: { retry: { delays_s: [5, 5] }, concurrency: 1 },
    });
    const events = await emitMany('down.event', 12);
    expect(await untilOpen(id)).toMatchObject({ probes: 0, reason: 'HTTP 503.' });
    expect(receiver.hits).toHaveLength(5);

    // Many more probes than a delivery has attempts.
    for (let i = 1; i <= 12; i += 1) {
      await nextProbe(id, receiver);
      await until('the probe is counted', async () => (await shown(id)).breaker?.probes === i);
    }
    expect(receiver.hits).toHaveLength(17);
    const states = await switchboard.read(pageOf(delivery), `/deliveries?target=${id}&limit=200`);
    expect(new Set(states.data.map(({ state }) => state))).toEqual(new Set(['retrying']));
    // Each of the twelve was probed.
    expect(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
    switchboard.clock.move(HOUR);

    receiver.respondWith(200);
    for (const event of events) {
      switchboard.clock.move(6 * SECOND);
      await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    }
    expect(await isOpen(id)).toBe(false);
  });

  it('stays closed while some responses reject the event, since those are no outages', async () => {
    let count = 0;
    const receiver = await startReceiver((response) => {
      count += 1;
      response.writeHead(count % 4 === 0 ? 400 : count < 16 ? 503 : 400).end();
    });
    const { id } = await switchboard.addTarget('rejecting', receiver.url, ['rejected.*'], {
      policy: { concurrency: 1, retry: { delays_s: [] } },
    });
    const events = await emitMany('rejected.event', 24);
    for (const event of events) await switchboard.deliveryOnce(event, id, ({ state }) => state === 'dead');
    expect(receiver.hits).toHaveLength(24);
    expect(await isOpen(id)).toBe(false);
  });

  it('probes with one delivery at a time, a different one each time, at growing intervals, also after a restart', async () => {
    const receiver = await startReceiver(500);
    const { id } = await switchboard.addTarget('probed', receiver.url, ['probed.*'], {
      policy: { concurrency: 2, breaker: { failures: 2, first_probe_s: 10, cap_s: 100 } },
    });
    await emitMany('probed.event', 10);
    const first = await untilOpen(id);
    const sent = receiver.hits.length;
    expect(Date.parse(first.probe_at) - Date.parse(first.opened_at)).toBe(10 * SECOND);

    await switchboard.restart();
    expect((await shown(id)).breaker).toEqual(first);
    expect(receiver.hits).toHaveLength(sent);

    switchboard.clock.stop();
    const distances: number[] = [];
    for (let i = 1; i <= 5; i += 1) {
      await nextProbe(id, receiver);
      await until('the probe is counted', async () => (await shown(id)).breaker?.probes === i);
      const { probe_at } = (await shown(id)).breaker!;
      distances.push(Math.round((Date.parse(probe_at) - switchboard.clock.now()) / (10 * SECOND)));
    }
    switchboard.clock.resume();
    expect(distances).toEqual([2, 4, 8, 10, 10]);
    const probes = receiver.hits.slice(sent).map(({ headers }) => String(headers['webhook-id']));
    expect(probes).toHaveLength(5);
    expect(new Set(probes).size).toBeGreaterThanOrEqual(4);
    expect((await shown(id)).breaker).toMatchObject({ opened_at: first.opened_at });
  });

  it('increases the concurrency step by step after a recovery', async () => {
    const receiver = await startReceiver(503);
    const { id } = await switchboard.addTarget('recovering', receiver.url, ['recovering.*'], {
      policy: { concurrency: 8, breaker: { failures: 2, first_probe_s: 3_600, cap_s: 3_600 } },
    });
    const events = await emitMany('recovering.event', 30);
    await untilOpen(id);
    await until('nothing is in flight', () => receiver.requestsInProgress === 0);

    const concurrency: number[] = [];
    receiver.respondWith((response) => {
      concurrency.push(receiver.requestsInProgress);
      setTimeout(() => response.writeHead(200).end(), 50);
    });
    await nextProbe(id, receiver);
    for (const event of events) {
      switchboard.clock.move(SECOND);
      await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    }
    // The probe and the next request are alone; full concurrency is reached only after seven successes.
    expect(concurrency.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...concurrency.slice(0, 4))).toBeLessThanOrEqual(3);
    expect(Math.max(...concurrency)).toBe(8);
  });

  it('changes a single row when it opens, however many deliveries are queued', async () => {
    const receiver = await startReceiver(503);
    const { id } = await switchboard.addTarget('counted', receiver.url, ['counted.*'], {
      policy: { concurrency: 4 },
    });
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    await Promise.all(Array.from({ length: 100 }, () => switchboard.emit('counted.event')));
    await switchboard.stop();
    withDatabase((connection) =>
      connection.exec(`
        CREATE TABLE updates(what TEXT);
        CREATE TRIGGER update_delivery AFTER UPDATE ON deliveries BEGIN INSERT INTO updates VALUES ('delivery'); END;
        CREATE TRIGGER update_breaker AFTER UPDATE OF breaker ON targets BEGIN INSERT INTO updates VALUES ('breaker'); END;
      `),
    );
    await switchboard.restart();
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    await untilOpen(id);
    await until('nothing is in flight', async () => (await shown(id)).backlog.in_flight === 0);
    await switchboard.stop();
    const updates = withDatabase((connection) => {
      const rows = connection
        .prepare('SELECT what, count(*) AS count FROM updates GROUP BY what ORDER BY what')
        .all();
      connection.exec('DROP TRIGGER update_delivery; DROP TRIGGER update_breaker; DROP TABLE updates');
      return rows;
    });
    // The next start sends a probe.
    const sent = receiver.hits.length;
    await switchboard.restart();
    expect(sent).toBeLessThan(20);
    expect(updates).toEqual([
      { what: 'breaker', count: 1 },
      { what: 'delivery', count: sent },
    ]);
    await switchboard.removeTarget({ id });
  });

  it('publishes opening, recovery, pauses and dead letters once each, with the reason', async () => {
    const listener = await startReceiver();
    const { id: listenerId } = await switchboard.addTarget('listener', listener.url, [
      'relay.target.*',
      'relay.delivery.*',
    ]);
    const receiver = await startReceiver(503);
    const { id } = await switchboard.addTarget('observed', receiver.url, ['published.*'], {
      policy: {
        retry: { delays_s: [] },
        concurrency: 1,
        breaker: { failures: 2, first_probe_s: 3_600, cap_s: 3_600 },
      },
    });
    const published = () =>
      listener.hits
        .map(({ body }) => JSON.parse(body.toString()) as { event: string; data: Record<string, unknown> })
        .filter(({ data }) => data['target_id'] === id);
    const untilPublished = (event: string) =>
      until(event, () => published().some((one) => one.event === event));

    const dead = await switchboard.emit('published.event');
    await emitMany('published.event', 2);
    await untilOpen(id);
    await untilPublished('relay.target.opened');
    await untilPublished('relay.delivery.dead');
    await switchboard.restart();
    receiver.respondWith(204);
    await nextProbe(id, receiver);
    await untilPublished('relay.target.recovered');
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    await untilPublished('relay.target.paused');

    // Pause once more, so that events published twice would have arrived by then.
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    await until(
      'a second pause is published',
      () => published().filter(({ event }) => event === 'relay.target.paused').length === 2,
    );
    const counts = ['opened', 'recovered'].map(
      (kind) => published().filter(({ event }) => event === `relay.target.${kind}`).length,
    );
    expect(counts).toEqual([1, 1]);
    expect(published().find(({ event }) => event === 'relay.target.opened')!.data).toMatchObject({
      target_name: 'observed',
      reason: 'HTTP 503.',
    });
    const { id: deliveryId } = await switchboard.deliveryOnce(dead, id, ({ state }) => state === 'dead');
    const deadEvents = published().filter(({ event }) => event === 'relay.delivery.dead');
    expect(deadEvents.flatMap(({ data }) => data['deliveries'])).toContain(deliveryId);
    expect(deadEvents[0]!.data['sentence']).toMatch(/HTTP 503 after 1 attempt/);
    await switchboard.removeTarget({ id: listenerId });
  });
});
