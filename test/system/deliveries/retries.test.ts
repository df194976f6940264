import type { ServerResponse } from 'node:http';
import { deathCauses } from '../../../src/contract/dead-letter';
import { delivery, deliveryDetail, deliveryJob, type DeliveryJob } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { stats } from '../../../src/contract/stats';
import { target } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const JOB = `job_${'0'.repeat(26)}`;
const STANDING_JOB = `job_${'1'.repeat(26)}`;

let board: Switchboard;
const receiver = useReceivers();

beforeAll(async () => {
  board = await Switchboard.start();
});

// What still waits to be tried again would be tried, or die, in the midst of another test.
afterEach(async () => {
  for (const one of (await board.read(pageOf(target), '/targets')).data) await board.removeTarget(one);
});

afterAll(async () => {
  await board.end();
});

/** One try each, so that what is refused is dead at once. */
const ONE_TRY = { retry: { delays_s: [] }, breaker: null } as const;

const emitMany = async (type: string, count: number) => {
  const events: string[] = [];
  for (let i = 0; i < count; i += 1) events.push(await board.emit(type));
  return events;
};
const list = async (query: string) =>
  (await board.read(pageOf(delivery), `/deliveries?limit=200&${query}`)).data;
const begin = (act: 'retry' | 'discard', json: object) =>
  board.read(deliveryJob, `/deliveries/${act}`, { method: 'POST', json });
const ended = async ({ id }: DeliveryJob): Promise<DeliveryJob> => {
  const job = () => board.read(deliveryJob, `/deliveries/jobs/${id}`);
  await until('the job has ended', async () => (await job()).state !== 'running');
  return job();
};
const allDead = async (targetId: string, count: number) =>
  until('all are dead', async () => (await list(`target=${targetId}&status=dead`)).length === count);
const deadCount = async () => (await board.read(stats, '/stats')).deliveries.dead;

describe('attempts that fail', () => {
  it('are made again by the policy of the target, and by no other', async () => {
    const place = await receiver(500);
    const { id } = await board.addTarget('listed', place.url, ['listed.*'], {
      policy: { retry: { delays_s: [60, 600] }, jitter: 0 },
    });
    const event = await board.emit('listed.event');
    for (const [count, waitMs] of [
      [1, MINUTE],
      [2, 10 * MINUTE],
    ] as const) {
      const { due_at, attempts } = await board.deliveryOnce(
        event,
        id,
        (one) => one.attempts.length === count,
      );
      const { at, duration_ms } = attempts.at(-1)!;
      expect(Date.parse(due_at!) - Date.parse(at) - duration_ms).toBe(waitMs);
      board.clock.move(waitMs - SECOND);
      await board.emit('some.other');
      expect(place.of(event)).toHaveLength(count);
      board.clock.move(SECOND);
    }
    const dead = await board.deliveryOnce(event, id, ({ state }) => state === 'dead');
    expect(dead.note).toBe('The target answered 500 at the last of 3 tries.');
    expect(place.of(event)).toHaveLength(3);
  });

  it('are the last where the target answers what is not tried again', async () => {
    const place = await receiver(422);
    const { id } = await board.addTarget('final', place.url, ['final.*'], {
      policy: { retry_on: { network: true, statuses: ['5xx', 429] } },
    });
    const dead = await board.deliveryOnce(
      await board.emit('final.event'),
      id,
      ({ state }) => state === 'dead',
    );
    expect(dead).toMatchObject({
      attempt_count: 1,
      note: expect.stringMatching(/422, which is not tried again/),
    });
  });

  it('are put off as long as the target asks for, not longer than its policy allows', async () => {
    const place = await receiver((response) => void response.writeHead(429, { 'retry-after': '7200' }).end());
    const policy = { jitter: 0, retry: { delays_s: [5] } };
    const capped = await board.addTarget('capped', place.url, ['asked.*'], {
      policy: { ...policy, retry_after_cap_s: 100 },
    });
    const whole = await board.addTarget('whole', place.url, ['asked.*'], {
      policy: { ...policy, retry_after_cap_s: 100_000 },
    });
    const patient = await board.addTarget('patient', place.url, ['asked.*'], {
      policy: { ...policy, retry: { delays_s: [9_000] } },
    });
    const event = await board.emit('asked.event');
    const waited = async (id: string) => {
      const { due_at, attempts } = await board.deliveryOnce(event, id, (one) => one.attempts.length === 1);
      return Date.parse(due_at!) - Date.parse(attempts[0]!.at) - attempts[0]!.duration_ms;
    };
    expect(await waited(capped.id)).toBe(100 * SECOND);
    expect(await waited(whole.id)).toBe(7_200 * SECOND);
    expect(await waited(patient.id)).toBe(9_000 * SECOND);
  });

  it('are made at once where the policy comes to permit only shorter pauses', async () => {
    const place = await receiver(404);
    const long = { jitter: 0, retry: { delays_s: [9_000] }, retry_after_cap_s: 60 };
    const { id } = await board.addTarget('shortened', place.url, ['shortened.*'], { policy: long });
    const event = await board.emit('shortened.event');
    await board.deliveryOnce(event, id, ({ state }) => state === 'retrying');
    place.answer(200);
    await board.ask(`/targets/${id}`, {
      method: 'PATCH',
      json: { policy: { ...long, retry: { delays_s: [60] } } },
    });
    await board.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
  });

  it('never keep first attempts waiting: those overtake, and retries are not forgotten', async () => {
    let broken = true;
    const place = await receiver((response) => void response.writeHead(broken ? 404 : 204).end());
    const { id } = await board.addTarget('both', place.url, ['both.*'], {
      // The last is for a connection that the receiver had just closed.
      policy: { concurrency: 1, rate: { limit: 100, per: 'second' }, retry: { delays_s: [600, 1] } },
    });
    const retries = new Set(await emitMany('both.event', 60));
    await until(
      'all have failed once',
      async () => (await list(`target=${id}&status=retrying`)).length === 60,
    );
    await board.ask(`/targets/${id}/pause`, { method: 'POST' });
    board.clock.move(700 * SECOND);
    const firsts = new Set(await emitMany('both.event', 40));
    broken = false;
    const before = place.hits.length;
    await board.ask(`/targets/${id}/resume`, { method: 'POST' });
    await until('all are through', async () => (await list(`target=${id}&status=succeeded`)).length === 100);
    const order = place.hits.slice(before).map(({ headers }) => String(headers['webhook-id']));
    // While both are there, of five that go out four are first attempts.
    const begun = order.slice(0, 50);
    expect(begun.filter((event) => firsts.has(event)).length).toBeGreaterThanOrEqual(38);
    expect(begun.filter((event) => retries.has(event)).length).toBeGreaterThanOrEqual(9);
  });
});

describe('a rate', () => {
  it('is kept to, by the record of the target', async () => {
    const times: number[] = [];
    const place = await receiver((response) => {
      times.push(performance.now());
      response.writeHead(204).end();
    });
    const { id } = await board.addTarget('rated', place.url, ['rated.*'], {
      policy: { rate: { limit: 20, per: 'second' } },
    });
    await board.ask(`/targets/${id}/pause`, { method: 'POST' });
    await Promise.all(Array.from({ length: 60 }, () => board.emit('rated.event')));
    await board.ask(`/targets/${id}/resume`, { method: 'POST' });
    await until('all of them', () => times.length === 60);
    // No second holds more than the rate and the little that may go at once.
    for (const [i, time] of times.entries()) {
      const within = times.slice(i).filter((other) => other - time < 900).length;
      expect(within).toBeLessThanOrEqual(22);
    }
  });
});

describe('dead letters', () => {
  it('are listed by target, type, error, status and time', async () => {
    const refusing = await receiver((response) => void response.writeHead(404).end());
    const cutting = await receiver((response) => void response.socket!.destroy());
    const first = await board.addTarget('refusing', refusing.url, ['letter.*'], { policy: ONE_TRY });
    const second = await board.addTarget('cutting', cutting.url, ['letter.*'], { policy: ONE_TRY });
    await board.emit('letter.old');
    board.clock.move(MINUTE);
    const between = new Date(board.clock.now()).toISOString();
    board.clock.move(MINUTE);
    await board.emit('letter.new');
    for (const { id } of [first, second]) await allDead(id, 2);

    const found = async (query: string) =>
      (await list(`status=dead&type=letter.*&${query}`)).map(
        ({ target_name, event_type }) => `${target_name} ${event_type}`,
      );
    expect(await found(`target=${first.id}`)).toEqual(['refusing letter.new', 'refusing letter.old']);
    expect(await found('error=404')).toEqual(['refusing letter.new', 'refusing letter.old']);
    expect(await found('error=http_status')).toEqual(['refusing letter.new', 'refusing letter.old']);
    expect(await found('error=connection_reset')).toEqual(['cutting letter.new', 'cutting letter.old']);
    expect((await list('status=dead&type=letter.old')).map(({ target_name }) => target_name)).toEqual([
      'cutting',
      'refusing',
    ]);
    expect(await found(`since=${between}&error=404`)).toEqual(['refusing letter.new']);
    expect(await found(`until=${between}&error=404`)).toEqual(['refusing letter.old']);
    const [letter] = await list(`status=dead&target=${first.id}`);
    expect(letter!.note).toBe('The target answered 404 at the last of 1 try.');
  });

  it('are discarded one by one, with a reason, and are not dead any more', async () => {
    const place = await receiver(404);
    const made = await board.addTarget('discarding', place.url, ['discarded.*'], { policy: ONE_TRY });
    const before = await deadCount();
    const dead = await board.deliveryOnce(
      await board.emit('discarded.event'),
      made.id,
      ({ state }) => state === 'dead',
    );
    // What is stored can be read a moment before it is counted.
    await until('it is counted', async () => (await deadCount()) === before + 1);
    const discarded = await board.read(deliveryDetail, `/deliveries/${dead.id}/discard`, {
      method: 'POST',
      json: { reason: 'sent by post' },
    });
    expect(discarded).toMatchObject({
      state: 'cancelled',
      note: 'Discarded: sent by post',
      attempt_count: 1,
    });
    expect(await deadCount()).toBe(before);
    const again = await board.ask(`/deliveries/${dead.id}/discard`, {
      method: 'POST',
      json: { reason: 'x' },
    });
    expect(again.status).toBe(409);
    expect(problem.parse(again.json)).toMatchObject({ code: 'delivery_finished' });
    const without = await board.ask(`/deliveries/${dead.id}/discard`, { method: 'POST', json: {} });
    expect(without.status).toBe(400);
  });

  it('are not sent once they are discarded, though their turn was next', async () => {
    const place = await receiver();
    const held: ServerResponse[] = [];
    place.answer((response) => void held.push(response));
    const made = await board.addTarget('next in turn', place.url, ['turn.*'], {
      policy: { ...ONE_TRY, concurrency: 1 },
    });
    const first = await board.emit('turn.event');
    await until('the first is on its way', () => held.length === 1);
    const [second, third] = [await board.emit('turn.event'), await board.emit('turn.event')];
    held.shift()!.writeHead(204).end();
    // The second is on its way now, and the third was taken with it.
    await until('the second is on its way', () => held.length === 1);
    const { id } = await board.deliveryOnce(third, made.id, () => true);
    await board.read(deliveryDetail, `/deliveries/${id}/discard`, {
      method: 'POST',
      json: { reason: 'too late' },
    });
    const last = await board.emit('turn.event');
    held.shift()!.writeHead(204).end();
    await until('the last is on its way', () => held.length === 1);
    held.shift()!.writeHead(204).end();
    expect(place.hits.map(({ headers }) => headers['webhook-id'])).toEqual([first, second, last]);
  });

  it('are sent again in the background, those named or all that match, once each', async () => {
    const place = await receiver(404);
    const made = await board.addTarget('again', place.url, ['again.*'], { policy: ONE_TRY });
    const { id } = made;
    await Promise.all(
      Array.from({ length: 230 }, (_, i) => board.emit(i < 30 ? 'again.some' : 'again.more')),
    );
    await until(
      'all are dead',
      async () => (await list(`target=${id}&status=dead&type=again.more`)).length === 200,
    );
    await allDead(id, 200);
    place.answer(204);

    const two = (await list(`target=${id}&status=dead&type=again.some`)).slice(0, 2);
    const named = await ended(await begin('retry', { ids: two.map((one) => one.id) }));
    expect(named).toMatchObject({ act: 'retry', state: 'done', total: 2, done: 2, reason: null });
    expect(named.ended_at).not.toBeNull();
    await until('the two', async () => (await list(`target=${id}&status=succeeded`)).length === 2);
    expect((await list(`target=${id}&status=succeeded`)).map(({ event_id }) => event_id).toSorted()).toEqual(
      two.map(({ event_id }) => event_id).toSorted(),
    );

    // What was sent again already is not sent once more, though its first delivery stays dead.
    const some = await ended(await begin('retry', { target: id, type: 'again.some' }));
    expect(some).toMatchObject({ total: 28, done: 28 });
    const rest = await ended(await begin('retry', { target: id }));
    expect(rest).toMatchObject({ total: 200, done: 200 });
    await until('each has come twice', () => place.hits.length === 460);
    expect(await ended(await begin('retry', { target: id }))).toMatchObject({ total: 0, done: 0 });
    const events = new Map<string, number>();
    for (const { headers } of place.hits) {
      const event = String(headers['webhook-id']);
      events.set(event, (events.get(event) ?? 0) + 1);
    }
    expect([...events.values()].filter((count) => count !== 2)).toEqual([]);
  });

  it('are counted as they are listed: no more once they were sent again, or their target was removed', async () => {
    const place = await receiver(404);
    const made = await board.addTarget('mended', place.url, ['mended.*'], { policy: ONE_TRY });
    const listed = async () => (await board.read(pageOf(delivery), '/dead-letters')).data.length;
    const events = await emitMany('mended.event', 3);
    await until('all are counted', async () => (await deadCount()) === 3);
    expect(await listed()).toBe(3);

    place.answer(204);
    await ended(await begin('retry', { target: made.id }));
    await until('each has come again', () => place.hits.length === 2 * events.length);
    expect([await deadCount(), await listed()]).toEqual([0, 0]);
    expect(await list(`target=${made.id}&status=dead`)).toHaveLength(3);

    place.answer(404);
    await board.emit('mended.event');
    await until('it is counted', async () => (await deadCount()) === 1);
    await board.removeTarget(made);
    expect([await deadCount(), await listed()]).toEqual([0, 0]);
  });

  it('are listed and counted by cause, until a later delivery answers for them', async () => {
    const place = await receiver(404);
    const made = await board.addTarget('causes', place.url, ['cause.*'], { policy: ONE_TRY });
    const refused = await emitMany('cause.one', 2);
    await allDead(made.id, 2);
    place.answer(500);
    await board.emit('cause.two');
    await allDead(made.id, 3);
    const causes = async (more = '') =>
      (await board.read(deathCauses, `/dead-letters/causes?target=${made.id}${more}`)).data;
    const letters = async (more = '') =>
      (await board.read(pageOf(delivery), `/dead-letters?target=${made.id}${more}`)).data;
    expect(await causes()).toMatchObject([
      { target_id: made.id, target_name: 'causes', error: '404', deliveries: 2, stop_lanes: 0 },
      { target_id: made.id, error: '500', deliveries: 1 },
    ]);
    expect(await causes('&type=cause.two')).toMatchObject([{ error: '500', deliveries: 1 }]);
    expect((await letters('&error=404')).map(({ event_id }) => event_id)).toEqual(refused.toReversed());

    place.answer(204);
    await ended(await begin('retry', { target: made.id, error: '404' }));
    expect(await causes()).toMatchObject([{ error: '500', deliveries: 1 }]);
    expect(await letters()).toHaveLength(1);
    const [job] = (await board.read(pageOf(deliveryJob), '/deliveries/jobs?limit=1')).data;
    expect(job).toMatchObject({ act: 'retry', state: 'done', total: 2, done: 2 });
    await board.removeTarget(made);
    expect(await causes()).toEqual([]);
    expect(await letters()).toEqual([]);
  });

  it('are discarded in the background, over a restart', async () => {
    const place = await receiver(404);
    const made = await board.addTarget('let go', place.url, ['let.*'], { policy: ONE_TRY });
    const { id } = made;
    await Promise.all(Array.from({ length: 400 }, () => board.emit('let.go')));
    await until('none is open', async () => (await board.read(target, `/targets/${id}`)).backlog.open === 0);
    const before = await deadCount();
    const job = await begin('discard', { target: id, reason: 'the target moved' });
    expect(job).toMatchObject({ act: 'discard', total: 400, reason: 'the target moved' });
    await board.stop();
    board = await Switchboard.start({ after: board });
    expect(await ended(job)).toMatchObject({ state: 'done', total: 400, done: 400 });
    expect(await deadCount()).toBe(before - 400);
    const discarded = await list(`target=${id}&status=cancelled`);
    expect(discarded).toHaveLength(200);
    expect(new Set(discarded.map(({ note }) => note))).toEqual(new Set(['Discarded: the target moved']));

    expect((await board.ask('/deliveries/jobs/job_unknown')).status).toBe(404);
  });

  it('are left as they are once the work on them is cancelled', async () => {
    const made = await board.addTarget('kept dead', (await receiver(404)).url, ['kept.*'], {
      policy: ONE_TRY,
    });
    const { id } = made;
    await Promise.all(Array.from({ length: 600 }, () => board.emit('kept.dead')));
    await until('none is open', async () => (await board.read(target, `/targets/${id}`)).backlog.open === 0);
    const before = await deadCount();
    const job = await begin('discard', { target: id, reason: 'too soon' });
    await board.read(deliveryJob, `/deliveries/jobs/${job.id}/cancel`, { method: 'POST' });
    // Jobs run one after the other, so with this one nothing is left of the one before it.
    await ended(await begin('discard', { target: id, type: 'kept.none', reason: 'none' }));
    const cancelled = await ended(job);
    expect(cancelled).toMatchObject({ state: 'cancelled', total: 600, ended_at: expect.any(String) });
    expect(cancelled.done).toBeLessThan(600);
    expect(await deadCount()).toBe(before - cancelled.done);
  });

  it('are none of the concern of work that began before they died', async () => {
    const made = await board.addTarget('later', (await receiver(404)).url, ['later.*'], { policy: ONE_TRY });
    const events = await emitMany('later.event', 3);
    await allDead(made.id, 3);
    const { seq } = await board.event(events[1]!);
    await board.stop();
    // As a job that was stopped before its first step, and before the last of them was stored.
    const connection = new sqliteDriver(`${board.dataDir}/switchboard.db`);
    connection
      .prepare(
        `INSERT INTO delivery_jobs(id, act, selection, reason, state, total, done, until_seq, created_at)
         VALUES (?, 'discard', ?, 'before', 'running', 2, 0, ?, 1)`,
      )
      .run(JOB, JSON.stringify({ target: made.id }), seq);
    connection.close();
    board = await Switchboard.start({ after: board });
    await until('it is done', async () => {
      const { state } = await board.read(deliveryJob, `/deliveries/jobs/${JOB}`);
      return state === 'done';
    });
    expect((await list(`target=${made.id}&status=dead`)).map(({ event_id }) => event_id)).toEqual([
      events[2],
    ]);
  });

  it('are dealt with once by one job, even those that die again meanwhile, over a restart', async () => {
    const made = await board.addTarget('again', (await receiver(404)).url, ['again.*'], { policy: ONE_TRY });
    const events = await emitMany('again.event', 3);
    await allDead(made.id, 3);
    const before = await list(`target=${made.id}&status=dead`);
    for (const { id } of before.filter(({ event_id }) => event_id !== events[2]))
      await board.ask(`/deliveries/${id}/retry`, { method: 'POST' });
    await allDead(made.id, 5);
    const { seq } = await board.event(events[1]!);
    await board.stop();
    // As a job that stood still behind the first two, which have died again since.
    const connection = new sqliteDriver(`${board.dataDir}/switchboard.db`);
    const { number } = connection
      .prepare<[string], { number: number }>('SELECT number FROM targets WHERE id = ?')
      .get(made.id)!;
    connection
      .prepare(
        `INSERT INTO delivery_jobs(id, act, selection, reason, state, total, done, until_seq, created_at, position)
         VALUES (?, 'retry', ?, NULL, 'running', 3, 2, 9999999, 1, ?)`,
      )
      .run(STANDING_JOB, JSON.stringify({ target: made.id }), JSON.stringify({ seq, target: number, n: 0 }));
    connection.close();
    board = await Switchboard.start({ after: board });
    await until('it is done', async () => {
      const { state } = await board.read(deliveryJob, `/deliveries/jobs/${STANDING_JOB}`);
      return state === 'done';
    });
    expect(await board.read(deliveryJob, `/deliveries/jobs/${STANDING_JOB}`)).toMatchObject({ done: 3 });
    await allDead(made.id, 6);
  });

  it('go out behind what is live when they are many', async () => {
    const place = await receiver(404);
    const made = await board.addTarget('crowded', place.url, ['crowded.*'], {
      policy: { ...ONE_TRY, concurrency: 4 },
    });
    await emitMany('crowded.dead', 12);
    await allDead(made.id, 12);
    place.answer(() => undefined);
    await ended(await begin('retry', { target: made.id }));
    await until('they hang', () => place.underWay === 2);
    const live = await board.emit('crowded.live');
    await until('the live one', () => place.of(live).length === 1);
    expect(place.underWay).toBe(3);
    place.answer(204);
  });

  it('are chosen by ids or by what matches, not by both', async () => {
    const [one] = await list('status=cancelled');
    for (const json of [{ ids: [one!.id], type: 'deal.*' }, { nonsense: true }, { ids: [] }]) {
      const answer = await board.ask('/deliveries/retry', { method: 'POST', json });
      expect(answer.status).toBe(400);
    }
  });
});
