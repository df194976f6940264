import { join } from 'node:path';
import { delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let board: Switchboard;
const receiver = useReceivers();

beforeAll(async () => {
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
});

const shown = (id: string) => board.read(target, `/targets/${id}`);
const isOpen = async (id: string) => (await shown(id)).breaker !== null;
const open = async (id: string) => {
  await until('the breaker is open', () => isOpen(id));
  return (await shown(id)).breaker!;
};
const emitMany = async (type: string, count: number) => {
  const events: string[] = [];
  for (let i = 0; i < count; i += 1) events.push(await board.emit(type));
  return events;
};
/** Moves the clock to the next probe and waits for it at the target. */
async function nextProbe(id: string, place: RecordingTarget): Promise<void> {
  const before = place.hits.length;
  const { probe_at } = (await shown(id)).breaker!;
  board.clock.move(Math.max(0, Date.parse(probe_at) - board.clock.now()) + SECOND);
  await until('the probe', () => place.hits.length > before);
}
const withDatabase = <T>(work: (connection: InstanceType<typeof sqliteDriver>) => T): T => {
  const connection = new sqliteDriver(join(board.dataDir, 'switchboard.db'));
  try {
    return work(connection);
  } finally {
    connection.close();
  }
};

describe('the breaker of a target', () => {
  it('opens after outages in a row; deliveries wait without spending tries, and all arrive in the end', async () => {
    const place = await receiver(503);
    const { id } = await board.addTarget('down', place.url, ['down.*'], {
      policy: { retry: { delays_s: [5, 5] }, concurrency: 1 },
    });
    const events = await emitMany('down.event', 12);
    expect(await open(id)).toMatchObject({ probes: 0, reason: 'The target answered 503.' });
    expect(place.hits).toHaveLength(5);

    // Far more probes than any of them has tries.
    for (let i = 1; i <= 20; i += 1) {
      await nextProbe(id, place);
      await until('the probe is counted', async () => (await shown(id)).breaker?.probes === i);
    }
    expect(place.hits).toHaveLength(25);
    const states = await board.read(pageOf(delivery), `/deliveries?target=${id}&limit=200`);
    expect(new Set(states.data.map(({ state }) => state))).toEqual(new Set(['retrying']));
    // Each of the twelve was probed in its turn.
    expect(new Set(place.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
    board.clock.move(HOUR);

    place.answer(200);
    for (const event of events) {
      board.clock.move(6 * SECOND);
      await board.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    }
    expect(await isOpen(id)).toBe(false);
  });

  it('stays closed for one event that is refused again and again, and for refusals in between', async () => {
    let count = 0;
    const place = await receiver((response) => {
      count += 1;
      response.writeHead(count % 4 === 0 ? 400 : count < 40 ? 503 : 400).end();
    });
    const { id } = await board.addTarget('poisonous', place.url, ['poison.*'], {
      policy: { concurrency: 1, retry: { delays_s: [] } },
    });
    const events = await emitMany('poison.event', 60);
    for (const event of events) await board.deliveryOnce(event, id, ({ state }) => state === 'dead');
    expect(place.hits).toHaveLength(60);
    expect(await isOpen(id)).toBe(false);
  });

  it('probes one at a time, at growing distances, another delivery each time, over a restart', async () => {
    const place = await receiver(500);
    const { id } = await board.addTarget('probed', place.url, ['probed.*'], {
      policy: { concurrency: 2, breaker: { failures: 2, first_probe_s: 10, cap_s: 100 } },
    });
    await emitMany('probed.event', 10);
    const first = await open(id);
    const sent = place.hits.length;
    expect(Date.parse(first.probe_at) - Date.parse(first.opened_at)).toBe(10 * SECOND);

    await board.stop();
    board = await Switchboard.start({ after: board });
    expect((await shown(id)).breaker).toEqual(first);
    expect(place.hits).toHaveLength(sent);

    const distances: number[] = [];
    for (let i = 1; i <= 5; i += 1) {
      await nextProbe(id, place);
      await until('the probe is counted', async () => (await shown(id)).breaker?.probes === i);
      const { probe_at } = (await shown(id)).breaker!;
      distances.push(Math.round((Date.parse(probe_at) - board.clock.now()) / (10 * SECOND)));
    }
    expect(distances).toEqual([2, 4, 8, 10, 10]);
    const probes = place.hits.slice(sent).map(({ headers }) => String(headers['webhook-id']));
    expect(probes).toHaveLength(5);
    expect(new Set(probes).size).toBeGreaterThanOrEqual(4);
    expect((await shown(id)).breaker).toMatchObject({ opened_at: first.opened_at });
  });

  it('lets through a few at first when the target is back, then more', async () => {
    const place = await receiver(503);
    const { id } = await board.addTarget('recovering', place.url, ['recovering.*'], {
      policy: { concurrency: 8, breaker: { failures: 2, first_probe_s: 10, cap_s: 100 } },
    });
    const events = await emitMany('recovering.event', 60);
    await open(id);
    await until('nothing is on its way', () => place.underWay === 0);

    const atOnce: number[] = [];
    place.answer((response) => {
      atOnce.push(place.underWay);
      setTimeout(() => response.writeHead(200).end(), 50);
    });
    await nextProbe(id, place);
    for (const event of events) {
      board.clock.move(SECOND);
      await board.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
    }
    // The probe, and the one after it, alone; the whole width not before seven have succeeded.
    expect(atOnce.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...atOnce.slice(0, 4))).toBeLessThanOrEqual(3);
    expect(Math.max(...atOnce)).toBe(8);
  });

  it('changes one row where it opens, however many deliveries wait', async () => {
    const place = await receiver(503);
    const { id } = await board.addTarget('counted', place.url, ['counted.*'], { policy: { concurrency: 4 } });
    await board.ask(`/targets/${id}/pause`, { method: 'POST' });
    await Promise.all(Array.from({ length: 400 }, () => board.emit('counted.event')));
    await board.stop();
    withDatabase((connection) =>
      connection.exec(`
        CREATE TABLE seen(what TEXT);
        CREATE TRIGGER seen_delivery AFTER UPDATE ON deliveries BEGIN INSERT INTO seen VALUES ('delivery'); END;
        CREATE TRIGGER seen_breaker AFTER UPDATE OF breaker ON targets BEGIN INSERT INTO seen VALUES ('breaker'); END;
      `),
    );
    board = await Switchboard.start({ after: board });
    await board.ask(`/targets/${id}/resume`, { method: 'POST' });
    await open(id);
    await until('nothing is on its way', async () => (await shown(id)).backlog.in_flight === 0);
    await board.stop();
    const seen = withDatabase((connection) => {
      const rows = connection
        .prepare('SELECT what, count(*) AS count FROM seen GROUP BY what ORDER BY what')
        .all();
      connection.exec('DROP TRIGGER seen_delivery; DROP TRIGGER seen_breaker; DROP TABLE seen');
      return rows;
    });
    // The next start probes.
    const sent = place.hits.length;
    board = await Switchboard.start({ after: board });
    expect(sent).toBeLessThan(20);
    expect(seen).toEqual([
      { what: 'breaker', count: 1 },
      { what: 'delivery', count: sent },
    ]);
    await board.removeTarget({ id });
  });

  it('tells of its opening and its recovery once each, of a pause and of what died, and shows why', async () => {
    const listener = await receiver();
    const { id: listenerId } = await board.addTarget('listener', listener.url, [
      'relay.target.*',
      'relay.delivery.*',
    ]);
    const place = await receiver(503);
    const { id } = await board.addTarget('told of', place.url, ['told.*'], {
      policy: {
        retry: { delays_s: [] },
        concurrency: 1,
        breaker: { failures: 2, first_probe_s: 5, cap_s: 5 },
      },
    });
    const told = () =>
      listener.hits
        .map(({ body }) => JSON.parse(body.toString()) as { event: string; data: Record<string, unknown> })
        .filter(({ data }) => data['target_id'] === id);
    const heard = (event: string) => until(event, () => told().some((one) => one.event === event));

    const dead = await board.emit('told.event');
    await emitMany('told.event', 2);
    await open(id);
    await heard('relay.target.opened');
    await heard('relay.delivery.dead');
    await board.stop();
    board = await Switchboard.start({ after: board });
    place.answer(204);
    await nextProbe(id, place);
    await heard('relay.target.recovered');
    await board.ask(`/targets/${id}/pause`, { method: 'POST' });
    await heard('relay.target.paused');

    // One more round of telling, so that what is told twice would be here.
    await board.ask(`/targets/${id}/resume`, { method: 'POST' });
    await board.ask(`/targets/${id}/pause`, { method: 'POST' });
    await until(
      'a second pause',
      () => told().filter(({ event }) => event === 'relay.target.paused').length === 2,
    );
    const counts = ['opened', 'recovered'].map(
      (kind) => told().filter(({ event }) => event === `relay.target.${kind}`).length,
    );
    expect(counts).toEqual([1, 1]);
    expect(told().find(({ event }) => event === 'relay.target.opened')!.data).toMatchObject({
      target_name: 'told of',
      reason: 'The target answered 503.',
    });
    const { id: deliveryId } = await board.deliveryOnce(dead, id, ({ state }) => state === 'dead');
    const deaths = told().filter(({ event }) => event === 'relay.delivery.dead');
    expect(deaths.flatMap(({ data }) => data['deliveries'])).toContain(deliveryId);
    expect(deaths[0]!.data['sentence']).toMatch(/The target answered 503 at the last of 1 try/);
    await board.removeTarget({ id: listenerId });
  });
});
