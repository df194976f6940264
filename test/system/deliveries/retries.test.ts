import type { ServerResponse } from 'node:http';
import { deadLetterCauses } from '../../../src/contract/dead-letter';
import { delivery, deliveryDetail, deliveryJob, type DeliveryJob } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { stats, targetsTraffic } from '../../../src/contract/stats';
import { target } from '../../../src/contract/target';
import { queryStored } from '../../support/daemon/stored-data';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const JOB = `job_${'0'.repeat(26)}`;
const INTERRUPTED_JOB = `job_${'1'.repeat(26)}`;

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

// Queued retries would otherwise be sent, or become dead letters, during another test.
afterEach(async () => {
  switchboard.clock.resume();
  for (const one of (await switchboard.read(pageOf(target), '/targets')).data)
    await switchboard.removeTarget(one);
});

afterAll(async () => {
  await switchboard.end();
});

/** A single attempt, so that a rejected delivery is dead at once. */
const ONE_ATTEMPT = { retry: { delays_s: [] }, breaker: null } as const;

const emitMany = async (type: string, count: number) => {
  const events: string[] = [];
  for (let i = 0; i < count; i += 1) events.push(await switchboard.emit(type));
  return events;
};
const list = async (query: string) =>
  (await switchboard.read(pageOf(delivery), `/deliveries?limit=200&${query}`)).data;
const startJob = (action: 'retry' | 'discard', json: object) =>
  switchboard.read(deliveryJob, `/deliveries/${action}`, { method: 'POST', json });
const untilEnded = async ({ id }: DeliveryJob): Promise<DeliveryJob> => {
  const job = () => switchboard.read(deliveryJob, `/deliveries/jobs/${id}`);
  await until('the job has ended', async () => (await job()).state !== 'running');
  return job();
};
const untilDead = async (targetId: string, count: number) =>
  until('all are dead', async () => (await list(`target=${targetId}&status=dead`)).length === count);
const deadCount = async () => (await switchboard.read(stats, '/stats')).deliveries.dead;

describe('failed attempts', () => {
  it('are retried according to the policy of the target', async () => {
    const receiver = await startReceiver(500);
    const { id } = await switchboard.addTarget('listed', receiver.url, ['listed.*'], {
      policy: { retry: { delays_s: [60, 600] }, jitter: 0 },
    });
    // On a busy machine the last second before a retry could pass by itself.
    switchboard.clock.stop();
    const event = await switchboard.emit('listed.event');
    for (const [count, waitMs] of [
      [1, MINUTE],
      [2, 10 * MINUTE],
    ] as const) {
      const { due_at, attempts } = await switchboard.deliveryOnce(
        event,
        id,
        (one) => one.attempts.length === count,
      );
      const { at, duration_ms } = attempts.at(-1)!;
      expect(Date.parse(due_at!) - Date.parse(at) - duration_ms).toBe(waitMs);
      switchboard.clock.move(Date.parse(due_at!) - switchboard.clock.now() - 1);
      await switchboard.emit('some.other');
      expect(receiver.of(event)).toHaveLength(count);
      switchboard.clock.move(1);
    }
    const dead = await switchboard.deliveryOnce(event, id, ({ state }) => state === 'dead');
    expect(dead.note).toBe('HTTP 500 after 3 attempts.');
    expect(receiver.of(event)).toHaveLength(3);
  });

  it('are not retried after a response that is not retryable', async () => {
    const receiver = await startReceiver(422);
    const { id } = await switchboard.addTarget('final', receiver.url, ['final.*'], {
      policy: { retry_on: { network: true, statuses: ['5xx', 429] } },
    });
    const dead = await switchboard.deliveryOnce(
      await switchboard.emit('final.event'),
      id,
      ({ state }) => state === 'dead',
    );
    expect(dead).toMatchObject({
      attempt_count: 1,
      note: expect.stringMatching(/422, which is not retried/),
    });
  });

  it('are delayed by Retry-After, up to the cap of the policy', async () => {
    const receiver = await startReceiver(
      (response) => void response.writeHead(429, { 'retry-after': '7200' }).end(),
    );
    const policy = { jitter: 0, retry: { delays_s: [5] } };
    const capped = await switchboard.addTarget('capped', receiver.url, ['asked.*'], {
      policy: { ...policy, retry_after_cap_s: 100 },
    });
    const whole = await switchboard.addTarget('whole', receiver.url, ['asked.*'], {
      policy: { ...policy, retry_after_cap_s: 100_000 },
    });
    const patient = await switchboard.addTarget('patient', receiver.url, ['asked.*'], {
      policy: { ...policy, retry: { delays_s: [9_000] } },
    });
    const event = await switchboard.emit('asked.event');
    const waited = async (id: string) => {
      const { due_at, attempts } = await switchboard.deliveryOnce(
        event,
        id,
        (one) => one.attempts.length === 1,
      );
      return Date.parse(due_at!) - Date.parse(attempts[0]!.at) - attempts[0]!.duration_ms;
    };
    expect(await waited(capped.id)).toBe(100 * SECOND);
    expect(await waited(whole.id)).toBe(7_200 * SECOND);
    expect(await waited(patient.id)).toBe(9_000 * SECOND);
  });

  it('are retried at once when the policy is changed to shorter pauses', async () => {
    const receiver = await startReceiver(404);
    const long = { jitter: 0, retry: { delays_s: [9_000] }, retry_after_cap_s: 60 };
    const { id } = await switchboard.addTarget('shortened', receiver.url, ['shortened.*'], { policy: long });
    const event = await switchboard.emit('shortened.event');
    await switchboard.deliveryOnce(event, id, ({ state }) => state === 'retrying');
    receiver.respondWith(200);
    await switchboard.ask(`/targets/${id}`, {
      method: 'PATCH',
      json: { policy: { ...long, retry: { delays_s: [60] } } },
    });
    await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
  });

  it('do not delay first attempts, which are sent before them', async () => {
    let broken = true;
    const receiver = await startReceiver((response) => void response.writeHead(broken ? 404 : 204).end());
    const { id } = await switchboard.addTarget('both', receiver.url, ['both.*'], {
      // The last delay is for an attempt on a connection that the receiver has just closed.
      policy: { concurrency: 1, rate: { limit: 100, per: 'second' }, retry: { delays_s: [600, 1] } },
    });
    const retries = new Set(await emitMany('both.event', 60));
    await until(
      'all have failed once',
      async () => (await list(`target=${id}&status=retrying`)).length === 60,
    );
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    switchboard.clock.move(700 * SECOND);
    const firsts = new Set(await emitMany('both.event', 40));
    broken = false;
    const before = receiver.hits.length;
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    await until(
      'all have succeeded',
      async () => (await list(`target=${id}&status=succeeded`)).length === 100,
    );
    const order = receiver.hits.slice(before).map(({ headers }) => String(headers['webhook-id']));
    // While both kinds are due, four of five requests are first attempts.
    const firstFifty = order.slice(0, 50);
    expect(firstFifty.filter((event) => firsts.has(event)).length).toBeGreaterThanOrEqual(38);
    expect(firstFifty.filter((event) => retries.has(event)).length).toBeGreaterThanOrEqual(9);
  });
});

describe('the rate limit of a target', () => {
  it('is not exceeded', async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end());
    const { id } = await switchboard.addTarget('rated', receiver.url, ['rated.*'], {
      policy: { rate: { limit: 20, per: 'second' } },
    });
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    await Promise.all(Array.from({ length: 60 }, () => switchboard.emit('rated.event')));
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    const succeeded = () => list(`target=${id}&status=succeeded`);
    await until('all have succeeded', async () => (await succeeded()).length === 60);
    const details = await Promise.all(
      (await succeeded()).map((one) => switchboard.read(deliveryDetail, `/deliveries/${one.id}`)),
    );
    const times = details.map(({ attempts }) => Date.parse(attempts[0]!.at)).toSorted((a, b) => a - b);
    // No second contains more than the limit and the small burst that is allowed.
    for (const [i, time] of times.entries()) {
      const within = times.slice(i).filter((other) => other - time < 900).length;
      expect(within).toBeLessThanOrEqual(22);
    }
  });
});

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

    const found = async (query: string) =>
      (await list(`status=dead&type=letter.*&${query}`)).map(
        ({ target_name, event_type }) => `${target_name} ${event_type}`,
      );
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
    const listed = async () => (await switchboard.read(pageOf(delivery), '/dead-letters')).data.length;
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

  it('are discarded in the background, also after a restart', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('discarded', receiver.url, ['discarded.*'], {
      policy: ONE_ATTEMPT,
    });
    const { id } = created;
    await Promise.all(Array.from({ length: 400 }, () => switchboard.emit('discarded.event')));
    await until(
      'nothing is queued',
      async () => (await switchboard.read(target, `/targets/${id}`)).backlog.open === 0,
    );
    const before = await deadCount();
    const job = await startJob('discard', { target: id, reason: 'the target moved' });
    expect(job).toMatchObject({ action: 'discard', total: 400, reason: 'the target moved' });
    await switchboard.stop();
    switchboard = await Switchboard.start({ after: switchboard });
    expect(await untilEnded(job)).toMatchObject({ state: 'done', total: 400, done: 400 });
    expect(await deadCount()).toBe(before - 400);
    const discarded = await list(`target=${id}&status=cancelled`);
    expect(discarded).toHaveLength(200);
    expect(new Set(discarded.map(({ note }) => note))).toEqual(new Set(['Discarded: the target moved']));

    expect((await switchboard.ask('/deliveries/jobs/job_unknown')).status).toBe(404);
  });

  it('are no longer changed once their job is cancelled', async () => {
    const created = await switchboard.addTarget('cancelled job', (await startReceiver(404)).url, ['kept.*'], {
      policy: ONE_ATTEMPT,
    });
    const { id } = created;
    await Promise.all(Array.from({ length: 600 }, () => switchboard.emit('kept.dead')));
    await until(
      'nothing is queued',
      async () => (await switchboard.read(target, `/targets/${id}`)).backlog.open === 0,
    );
    const before = await deadCount();
    const job = await startJob('discard', { target: id, reason: 'too soon' });
    await switchboard.read(deliveryJob, `/deliveries/jobs/${job.id}/cancel`, { method: 'POST' });
    // Jobs run one after the other, so the first has ended when this one has.
    await untilEnded(await startJob('discard', { target: id, type: 'kept.none', reason: 'none' }));
    const cancelled = await untilEnded(job);
    expect(cancelled).toMatchObject({ state: 'cancelled', total: 600, ended_at: expect.any(String) });
    expect(cancelled.done).toBeLessThan(600);
    expect(await deadCount()).toBe(before - cancelled.done);
  });

  it('are not included in a job that started before they failed', async () => {
    const created = await switchboard.addTarget('later', (await startReceiver(404)).url, ['later.*'], {
      policy: ONE_ATTEMPT,
    });
    const events = await emitMany('later.event', 3);
    await untilDead(created.id, 3);
    const { seq } = await switchboard.event(events[1]!);
    await switchboard.stop();
    // A job that was stopped before its first step, and before the last dead letter was stored.
    await queryStored(
      switchboard.dataDir,
      `INSERT INTO delivery_jobs(id, action, selection, reason, state, total, done, until_seq, created_at)
       VALUES (?, 'discard', ?, 'before', 'running', 2, 0, ?, 1)`,
      JOB,
      JSON.stringify({ target: created.id }),
      seq,
    );
    switchboard = await Switchboard.start({ after: switchboard });
    await until('it is done', async () => {
      const { state } = await switchboard.read(deliveryJob, `/deliveries/jobs/${JOB}`);
      return state === 'done';
    });
    expect((await list(`target=${created.id}&status=dead`)).map(({ event_id }) => event_id)).toEqual([
      events[2],
    ]);
  });

  it('are processed once per job, even if they fail again meanwhile and the daemon restarts', async () => {
    const created = await switchboard.addTarget('again', (await startReceiver(404)).url, ['again.*'], {
      policy: ONE_ATTEMPT,
    });
    const events = await emitMany('again.event', 3);
    await untilDead(created.id, 3);
    const before = await list(`target=${created.id}&status=dead`);
    for (const { id } of before.filter(({ event_id }) => event_id !== events[2]))
      await switchboard.ask(`/deliveries/${id}/retry`, { method: 'POST' });
    await untilDead(created.id, 5);
    const { seq } = await switchboard.event(events[1]!);
    await switchboard.stop();
    // A job that was interrupted after the first two, which have become dead letters again since.
    const [row] = await queryStored<{ number: number }>(
      switchboard.dataDir,
      'SELECT number FROM targets WHERE id = ?',
      created.id,
    );
    await queryStored(
      switchboard.dataDir,
      `INSERT INTO delivery_jobs(id, action, selection, reason, state, total, done, until_seq, created_at, position)
       VALUES (?, 'retry', ?, NULL, 'running', 3, 2, 9999999, 1, ?)`,
      INTERRUPTED_JOB,
      JSON.stringify({ target: created.id }),
      JSON.stringify({ seq, target: row!.number, n: 0 }),
    );
    switchboard = await Switchboard.start({ after: switchboard });
    await until('it is done', async () => {
      const { state } = await switchboard.read(deliveryJob, `/deliveries/jobs/${INTERRUPTED_JOB}`);
      return state === 'done';
    });
    expect(await switchboard.read(deliveryJob, `/deliveries/jobs/${INTERRUPTED_JOB}`)).toMatchObject({
      done: 3,
    });
    await untilDead(created.id, 6);
  });

  it('are sent after live deliveries if they are retried by a job', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('crowded', receiver.url, ['crowded.*'], {
      policy: { ...ONE_ATTEMPT, concurrency: 4 },
    });
    await emitMany('crowded.dead', 12);
    await untilDead(created.id, 12);
    receiver.respondWith(() => undefined);
    await untilEnded(await startJob('retry', { target: created.id }));
    await until('their requests are in flight', () => receiver.requestsInProgress === 2);
    const live = await switchboard.emit('crowded.live');
    await until('the live one arrives', () => receiver.of(live).length === 1);
    expect(receiver.requestsInProgress).toBe(3);
    receiver.respondWith(204);
  });

  it('are selected by ids or by a filter, not by both', async () => {
    const [one] = await list('status=cancelled');
    for (const json of [{ ids: [one!.id], type: 'deal.*' }, { nonsense: true }, { ids: [] }]) {
      const response = await switchboard.ask('/deliveries/retry', { method: 'POST', json });
      expect(response.status).toBe(400);
    }
  });

  it('are all selected only if all are asked for', async () => {
    for (const path of ['/deliveries/retry', '/deliveries/discard']) {
      const ask = async (selection: object) => {
        const reason = path.endsWith('discard') ? { reason: 'Obsolete' } : {};
        const { status, json } = await switchboard.ask(path, {
          method: 'POST',
          json: { ...selection, ...reason },
        });
        return { status, code: (json as { code?: string }).code };
      };
      const missing = { status: 422, code: 'selection_missing' };
      for (const selection of [{}, { type: '' }, { all: false }])
        expect(await ask(selection)).toEqual(missing);
      const ambiguous = { status: 422, code: 'selection_ambiguous' };
      expect(await ask({ all: true, type: 'deal.*' })).toEqual(ambiguous);
      expect((await ask({ all: true })).status).toBe(202);
    }
  });
});
