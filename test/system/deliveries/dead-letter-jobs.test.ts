import { until } from '../../support/until';
import { target } from '../../../src/contract/target';
import { deadLetterCauses } from '../../../src/contract/dead-letter';
import { deliveryJob } from '../../../src/contract/delivery';
import { deliveryJobDetail } from '../../../src/contract/delivery-job';
import { queryStored } from '../../support/daemon/stored-data';
import {
  ONE_ATTEMPT,
  SECOND,
  deadCount,
  emitMany,
  list,
  startAgain,
  startJob,
  startReceiver,
  switchboard,
  untilDead,
  untilEnded,
  useDeliveries,
} from './dead-letter-tools';

useDeliveries();

const JOB = `job_${'0'.repeat(26)}`;
const INTERRUPTED_JOB = `job_${'1'.repeat(26)}`;

/** Adds a target that rejects this many events. @returns its id, once none of them is queued */
async function addDead(type: string, count: number): Promise<string> {
  const receiver = await startReceiver(404);
  const { id } = await switchboard.addTarget(type, receiver.url, [type], { policy: ONE_ATTEMPT });
  await Promise.all(Array.from({ length: count }, () => switchboard.emit(type)));
  await until(
    'nothing is queued',
    async () => (await switchboard.read(target, `/targets/${id}`)).backlog.open === 0,
  );
  return id;
}

describe('dead letters', () => {
  it('are discarded in the background, also after a restart', async () => {
    const id = await addDead('discarded.event', 400);
    const before = await deadCount();
    const job = await startJob('discard', { target: id, reason: 'the target moved' });
    expect(job).toMatchObject({ action: 'discard', total: 400, reason: 'the target moved' });
    await switchboard.stop();
    await startAgain();
    expect(await untilEnded(job)).toMatchObject({ state: 'done', total: 400, done: 400 });
    expect(await deadCount()).toBe(before - 400);
    const discarded = await list(`target=${id}&status=cancelled`);
    expect(discarded).toHaveLength(200);
    expect(new Set(discarded.map(({ note }) => note))).toEqual(new Set(['Discarded: the target moved']));

    expect((await switchboard.ask('/deliveries/jobs/job_unknown')).status).toBe(404);
  });

  it('are no longer changed once their job is cancelled', async () => {
    const id = await addDead('kept.dead', 600);
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
    await startAgain();
    await until('it is done', async () => {
      const { state } = await switchboard.read(deliveryJobDetail, `/deliveries/jobs/${JOB}`);
      return state === 'done';
    });
    expect((await list(`target=${created.id}&status=dead`)).map(({ event_id }) => event_id)).toEqual([
      events[2],
    ]);
  });

  it('are not included in a job if they failed after the last one that was counted', async () => {
    const receiver = await startReceiver(404);
    const created = await switchboard.addTarget('counted', receiver.url, ['counted.*'], {
      policy: { ...ONE_ATTEMPT, ordering: 'strict', on_dead: 'stop' },
    });
    const free = await switchboard.addTarget('free', receiver.url, ['counted.*'], { policy: ONE_ATTEMPT });
    const [first] = await emitMany('counted.event', 1);
    await untilDead(created.id, 1);
    await untilDead(free.id, 1);
    const { data } = await switchboard.read(deadLetterCauses, '/dead-letters/causes?type=counted.*');
    const [failed_until] = data
      .map(({ last_failed_at: at }) => at)
      .toSorted()
      .toReversed();
    switchboard.clock.move(SECOND);
    await emitMany('counted.event', 2);
    await untilDead(free.id, 3);
    const job = await startJob('retry', { type: 'counted.*', failed_until });
    expect(job.total).toBe(2);
    expect(await untilEnded(job)).toMatchObject({ done: 2 });
    await untilDead(free.id, 4);
    const retried = (await list(`target=${free.id}`)).filter(({ trigger }) => trigger === 'manual');
    expect(retried.map(({ event_id }) => event_id)).toEqual([first]);
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
    await startAgain();
    await until('it is done', async () => {
      const { state } = await switchboard.read(deliveryJobDetail, `/deliveries/jobs/${INTERRUPTED_JOB}`);
      return state === 'done';
    });
    expect(await switchboard.read(deliveryJobDetail, `/deliveries/jobs/${INTERRUPTED_JOB}`)).toMatchObject({
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
