import { until } from '../../support/until';
import { deliveryDetail, delivery, deliveryJob } from '../../../src/contract/delivery';
import { deliveryJobDetail } from '../../../src/contract/delivery-job';
import { problem } from '../../../src/contract/problem';
import type { ServerResponse } from 'node:http';
import { pageOf } from '../../../src/contract/page';
import { deadLetterCauses } from '../../../src/contract/dead-letter';
import { targetsTraffic } from '../../../src/contract/stats';
import {
  MINUTE,
  ONE_ATTEMPT,
  deadCount,
  emitMany,
  list,
  startJob,
  startReceiver,
  switchboard,
  untilDead,
  untilEnded,
  useDeliveries,
} from './dead-letter-tools';

useDeliveries();

const found = async (query: string) =>
  (await list(`status=dead&type=letter.*&${query}`)).map(
    ({ target_name, event_type }) => `${target_name} ${event_type}`,
  );

const listed = async () => (await switchboard.read(pageOf(delivery), '/dead-letters')).data.length;

describe('dead letters', () => {
  it('are filtered by target, type, error, status and time', async () => {
    const rejecting = await startReceiver((response) => void response.writeHead(404).end());
    const cutting = await startReceiver((response) => void response.socket!.destroy());
    const first = await switchboard.addTarget('rejecting', rejecting.url, ['letter.*'], {
      policy: ONE_ATTEMPT,
    });
    const second = await switchboard.addTarget('cutting', cutting.url, ['letter.*'], { policy: ONE_ATTEMPT });
    await switchboard.emit('letter.old');
    switchboard.clock.move(MINUTE);
    const between = new Date(switchboard.clock.now()).toISOString();
    switchboard.clock.move(MINUTE);
    await switchboard.emit('letter.new');
    for (const { id } of [first, second]) await untilDead(id, 2);

    expect(await found(`target=${first.id}`)).toEqual(['rejecting letter.new', 'rejecting letter.old']);
    expect(await found('error=404')).toEqual(['rejecting letter.new', 'rejecting letter.old']);
    expect(await found('error=http_status')).toEqual(['rejecting letter.new', 'rejecting letter.old']);
    expect(await found('error=connection_reset')).toEqual(['cutting letter.new', 'cutting letter.old']);
    expect((await list('status=dead&type=letter.old')).map(({ target_name }) => target_name)).toEqual([
      'cutting',
      'rejecting',
    ]);
    expect(await found(`since=${between}&error=404`)).toEqual(['rejecting letter.new']);
    expect(await found(`until=${between}&error=404`)).toEqual(['rejecting letter.old']);
    const [letter] = await list(`status=dead&target=${first.id}`);
    expect(letter!.note).toBe('HTTP 404 after 1 attempt.');
  });

  it('are no longer dead once they are discarded, with a reason', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('discarding', receiver.url, ['discarded.*'], {
      policy: ONE_ATTEMPT,
    });
    const before = await deadCount();
    const dead = await switchboard.deliveryOnce(
      await switchboard.emit('discarded.event'),
      created.id,
      ({ state }) => state === 'dead',
    );
    // A delivery can be read from the database a moment before it is counted.
    await until('it is counted', async () => (await deadCount()) === before + 1);
    const discarded = await switchboard.read(deliveryDetail, `/deliveries/${dead.id}/discard`, {
      method: 'POST',
      json: { reason: 'sent by post' },
    });
    expect(discarded).toMatchObject({
      state: 'cancelled',
      note: 'Discarded: sent by post',
      attempt_count: 1,
    });
    expect(await deadCount()).toBe(before);
    const again = await switchboard.ask(`/deliveries/${dead.id}/discard`, {
      method: 'POST',
      json: { reason: 'x' },
    });
    expect(again.status).toBe(409);
    expect(problem.parse(again.json)).toMatchObject({ code: 'delivery_finished' });
    const without = await switchboard.ask(`/deliveries/${dead.id}/discard`, { method: 'POST', json: {} });
    expect(without.status).toBe(400);
  });

  it('are not sent once they are discarded, even if they are next in the queue', async () => {
    const receiver = await startReceiver();
    const held: ServerResponse[] = [];
    receiver.respondWith((response) => void held.push(response));
    const created = await switchboard.addTarget('next in turn', receiver.url, ['turn.*'], {
      policy: { ...ONE_ATTEMPT, concurrency: 1 },
    });
    const first = await switchboard.emit('turn.event');
    await until('the first is in flight', () => held.length === 1);
    const [second, third] = [await switchboard.emit('turn.event'), await switchboard.emit('turn.event')];
    held.shift()!.writeHead(204).end();
    // The second is in flight now, and the third was read with it.
    await until('the second is in flight', () => held.length === 1);
    const { id } = await switchboard.deliveryOnce(third, created.id, () => true);
    await switchboard.read(deliveryDetail, `/deliveries/${id}/discard`, {
      method: 'POST',
      json: { reason: 'too late' },
    });
    const last = await switchboard.emit('turn.event');
    held.shift()!.writeHead(204).end();
    await until('the last is in flight', () => held.length === 1);
    held.shift()!.writeHead(204).end();
    expect(receiver.hits.map(({ headers }) => headers['webhook-id'])).toEqual([first, second, last]);
  });

  it('are retried in the background, by id or by filter, once each', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('again', receiver.url, ['again.*'], { policy: ONE_ATTEMPT });
    const { id } = created;
    await Promise.all(
      Array.from({ length: 230 }, (_, i) => switchboard.emit(i < 30 ? 'again.some' : 'again.more')),
    );
    await until(
      'all are dead',
      async () => (await list(`target=${id}&status=dead&type=again.more`)).length === 200,
    );
    await untilDead(id, 200);
    receiver.respondWith(204);

    const two = (await list(`target=${id}&status=dead&type=again.some`)).slice(0, 2);
    const named = await untilEnded(await startJob('retry', { ids: two.map((one) => one.id) }));
    expect(named).toMatchObject({ action: 'retry', state: 'done', total: 2, done: 2, reason: null });
    expect(named.ended_at).not.toBeNull();
    const report = async () =>
      (await switchboard.read(deliveryJobDetail, `/deliveries/jobs/${named.id}`)).report;
    await until('its report is final', async () => (await report())[0]!.open === 0);
    expect(await report()).toMatchObject([{ target_id: id, deliveries: 2, succeeded: 2, dead: 0 }]);
    await until(
      'the two are delivered',
      async () => (await list(`target=${id}&status=succeeded`)).length === 2,
    );
    expect((await list(`target=${id}&status=succeeded`)).map(({ event_id }) => event_id).toSorted()).toEqual(
      two.map(({ event_id }) => event_id).toSorted(),
    );

    // A delivery that was retried is not retried again, although it stays dead itself.
    const some = await untilEnded(await startJob('retry', { target: id, type: 'again.some' }));
    expect(some).toMatchObject({ total: 28, done: 28 });
    const rest = await untilEnded(await startJob('retry', { target: id }));
    expect(rest).toMatchObject({ total: 200, done: 200 });
    await until('each has arrived twice', () => receiver.hits.length === 460);
    expect(await untilEnded(await startJob('retry', { target: id }))).toMatchObject({ total: 0, done: 0 });
    const events = new Map<string, number>();
    for (const { headers } of receiver.hits) {
      const event = String(headers['webhook-id']);
      events.set(event, (events.get(event) ?? 0) + 1);
    }
    expect([...events.values()].filter((count) => count !== 2)).toEqual([]);
  });

  it('are neither counted nor listed once they are retried or their target is removed', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('mended', receiver.url, ['mended.*'], {
      policy: ONE_ATTEMPT,
    });
    const events = await emitMany('mended.event', 3);
    await until('all are counted', async () => (await deadCount()) === 3);
    expect(await listed()).toBe(3);

    receiver.respondWith(204);
    await untilEnded(await startJob('retry', { target: created.id }));
    await until('each has arrived again', () => receiver.hits.length === 2 * events.length);
    expect([await deadCount(), await listed()]).toEqual([0, 0]);
    expect(await list(`target=${created.id}&status=dead`)).toHaveLength(3);

    receiver.respondWith(404);
    await switchboard.emit('mended.event');
    await until('it is counted', async () => (await deadCount()) === 1);
    await switchboard.removeTarget(created);
    expect([await deadCount(), await listed()]).toEqual([0, 0]);
  });

  it('are shown with the latest response, the times and the number per hour of each cause', async () => {
    const receiver = await startReceiver(500);
    const created = await switchboard.addTarget('evidence', receiver.url, ['evidence.*'], {
      policy: ONE_ATTEMPT,
    });
    await switchboard.emit('evidence.one');
    await untilDead(created.id, 1);
    switchboard.clock.move(60 * MINUTE);
    receiver.respondWith((response) => response.writeHead(500).end("TypeError: 'status_id'"));
    const newest = await switchboard.emit('evidence.two', { id: 1, name: 'Granite' });
    await untilDead(created.id, 2);
    const [letter] = (await switchboard.read(pageOf(delivery), `/dead-letters?target=${created.id}`)).data;
    expect(letter).toMatchObject({ event_id: newest, entity_name: 'Granite' });
    const { data } = await switchboard.read(deadLetterCauses, `/dead-letters/causes?target=${created.id}`);
    expect(data).toMatchObject([
      {
        deliveries: 2,
        newest: {
          delivery_id: letter!.id,
          event_id: newest,
          attempt: { status: 500, excerpt: "TypeError: 'status_id'" },
        },
      },
    ]);
    const [cause] = data;
    expect(cause!.by_hour.slice(-3)).toEqual([0, 1, 1]);
    expect(cause!.by_hour).toHaveLength(24);
    expect(cause!.last_failed_at).toBe(letter!.finished_at);
    const between = Date.parse(cause!.last_failed_at) - Date.parse(cause!.first_failed_at);
    expect(between).toBeGreaterThanOrEqual(60 * MINUTE);
    const traffic = (await switchboard.read(targetsTraffic, '/stats/targets')).data;
    expect(traffic.find(({ target_id: id }) => id === created.id)?.dead_letters).toBe(2);
    await switchboard.removeTarget(created);
  });

  it('are listed and counted by cause, until a later delivery replaces them', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('causes', receiver.url, ['cause.*'], { policy: ONE_ATTEMPT });
    const rejected = await emitMany('cause.one', 2);
    await untilDead(created.id, 2);
    receiver.respondWith(500);
    await switchboard.emit('cause.two');
    await untilDead(created.id, 3);
    const causes = async (more = '') =>
      (await switchboard.read(deadLetterCauses, `/dead-letters/causes?target=${created.id}${more}`)).data;
    const deadLetters = async (more = '') =>
      (await switchboard.read(pageOf(delivery), `/dead-letters?target=${created.id}${more}`)).data;
    expect(await causes()).toMatchObject([
      { target_id: created.id, target_name: 'causes', error: '404', deliveries: 2, stop_lanes: 0 },
      { target_id: created.id, error: '500', deliveries: 1 },
    ]);
    expect(await causes('&type=cause.two')).toMatchObject([{ error: '500', deliveries: 1 }]);
    expect((await deadLetters('&error=404')).map(({ event_id }) => event_id)).toEqual(rejected.toReversed());

    receiver.respondWith(204);
    await untilEnded(await startJob('retry', { target: created.id, error: '404' }));
    expect(await causes()).toMatchObject([{ error: '500', deliveries: 1 }]);
    expect(await deadLetters()).toHaveLength(1);
    const [job] = (await switchboard.read(pageOf(deliveryJob), '/deliveries/jobs?limit=1')).data;
    expect(job).toMatchObject({ action: 'retry', state: 'done', total: 2, done: 2 });
    await switchboard.removeTarget(created);
    expect(await causes()).toEqual([]);
    expect(await deadLetters()).toEqual([]);
  });
});
