import { isDeepStrictEqual } from 'node:util';
import { auditEntry } from '../../../src/contract/audit';
import { listedEvent } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { target, type Target } from '../../../src/contract/target';
import { changedTargets } from '../../../src/contract/target-pause';
import { until } from '../../support/until';
import { receiver, startAgain, switchboard, useHub } from './hub';

const MINUTE = 60_000;
/** No circuit breaker, one attempt. */
const SINGLE_ATTEMPT = { breaker: null, retry: { delays_s: [] } };

useHub();

const get = (id: string) => switchboard.read(target, `/targets/${id}`);
const post = (path: string, json: object = {}) => switchboard.ask(path, { method: 'POST', json });
const inMs = (ms: number) => new Date(switchboard.clock.now() + ms).toISOString();
const untilTarget = (what: string, id: string, holds: (found: Target) => boolean) =>
  until(what, async () => holds(await get(id)));

const change = (path: string, json: object) =>
  switchboard.read(changedTargets, `/targets/${path}`, { method: 'POST', json });

/** Emits events of a type one after the other, each answered with the given status. */
async function deliver(type: string, id: string, statuses: readonly number[]): Promise<void> {
  for (const status of statuses) {
    receiver.respondWith(status);
    const { attempts } = (await get(id)).health;
    await switchboard.emit(type);
    await untilTarget('the attempt', id, ({ health }) => health.attempts === attempts + 1);
  }
  receiver.respondWith(200);
}

describe('the health of a target', () => {
  it('is failing once half of the latest ten attempts failed, also after a restart', async () => {
    const { id } = await switchboard.addTarget('erp', receiver.url, ['erp.*'], { policy: SINGLE_ATTEMPT });
    expect((await get(id)).health).toEqual({
      states: ['active'],
      attempts: 0,
      failed: 0,
      p95_ms: null,
      last_delivered_at: null,
      last_failure: null,
    });
    await deliver('erp.event', id, [400, 200, 400, 200, 400, 200, 400, 200, 400]);
    expect((await get(id)).health).toMatchObject({ states: ['active'], attempts: 9, failed: 5 });
    await deliver('erp.event', id, [200]);
    const { health } = await get(id);
    expect(health).toMatchObject({ states: ['failing'], attempts: 10, failed: 5 });
    expect(health.p95_ms).toBeGreaterThan(0);

    await switchboard.stop();
    await startAgain();
    const restarted = (await get(id)).health;
    expect(restarted).toMatchObject({ states: ['failing'], attempts: 10, failed: 5, p95_ms: null });
    const minute = Math.floor(Date.parse(health.last_delivered_at!) / MINUTE) * MINUTE;
    expect(restarted.last_delivered_at).toBe(new Date(minute).toISOString());

    await deliver('erp.event', id, [400, 400, 400, 400, 400, 400, 200, 200, 200, 200, 200]);
    expect((await get(id)).health).toMatchObject({ states: ['failing'], attempts: 21, failed: 11 });
    await deliver('erp.event', id, [200]);
    expect((await get(id)).health).toMatchObject({ states: ['active'], attempts: 22, failed: 11 });
    await deliver('erp.event', id, [400, 400, 400, 400, 400, 400]);
    expect((await get(id)).health).toMatchObject({ states: ['failing'], attempts: 28 });
    switchboard.clock.move(60 * MINUTE);
    expect((await get(id)).health).toMatchObject({ states: ['active'], attempts: 0, failed: 0 });
  });

  it('is behind once what is due has waited for a minute, which a scheduled retry does not, unless it is paused', async () => {
    const { id } = await switchboard.addTarget('late', receiver.url, ['late.*'], {
      policy: { retry: { delays_s: [3_600] }, breaker: null },
    });
    await deliver('late.event', id, [500]);
    switchboard.clock.move(MINUTE + 1_000);
    expect((await get(id)).health.states).toEqual(['active']);
    receiver.respondWith(() => undefined);
    await switchboard.emit('late.event');
    await until('an attempt waits for its response', async () => (await get(id)).backlog.in_flight === 1);
    expect((await get(id)).health.states).toEqual(['active']);
    switchboard.clock.move(MINUTE + 1_000);
    expect((await get(id)).health.states).toEqual(['behind']);
    await post(`/targets/${id}/pause`);
    expect((await get(id)).health.states).toEqual(['paused']);
    await switchboard.ask(`/targets/${id}`, { method: 'PATCH', json: { enabled: false } });
    expect((await get(id)).health.states).toEqual(['paused', 'disabled']);
    await switchboard.removeTarget({ id });
  });

  it('is failing a minute after the first of its attempts, if all have failed, also if the next is scheduled for later', async () => {
    const { id } = await switchboard.addTarget('strict', receiver.url, ['strict.*'], {
      policy: { ordering: 'strict', retry: { delays_s: [30, 3_600] }, jitter: 0, breaker: null },
    });
    await deliver('strict.event', id, [500]);
    receiver.respondWith(500);
    expect((await get(id)).health.states).toEqual(['active']);
    switchboard.clock.move(MINUTE + 1_000);
    await untilTarget('the retry has failed', id, ({ health }) => health.failed === 2);
    expect((await get(id)).health.states).toEqual(['failing']);
    receiver.respondWith(200);
    switchboard.clock.move(70 * MINUTE);
    await untilTarget('it is delivered', id, ({ health }) => health.states[0] === 'active');
    await switchboard.removeTarget({ id });
  });

  it('is blocked while deliveries wait behind a dead letter', async () => {
    const { id } = await switchboard.addTarget('ledger', receiver.url, ['ledger.*'], {
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] }, breaker: null },
    });
    await deliver('ledger.event', id, [400]);
    expect((await get(id)).health.states).toEqual(['active']);
    await switchboard.emit('ledger.event');
    await until('it waits', async () => (await get(id)).backlog.open === 1);
    expect((await get(id)).health.states).toEqual(['blocked']);
    receiver.respondWith(200);
    await post('/deliveries/retry', { target: id });
    await until('all are delivered', async () => (await get(id)).health.states[0] === 'active');
    await switchboard.removeTarget({ id });
  });

  it('is down while its circuit breaker is open', async () => {
    const { id } = await switchboard.addTarget('gone away', receiver.url, ['away.*'], {
      policy: { breaker: { failures: 1, first_probe_s: 300, cap_s: 300 } },
    });
    await deliver('away.event', id, [500]);
    switchboard.clock.move(2 * MINUTE);
    expect((await get(id)).health.states).toEqual(['down']);
    await switchboard.removeTarget({ id });
  });
});

describe('a pause', () => {
  it('has a reason and an end; pausing again changes only what is given', async () => {
    const { id } = await switchboard.addTarget('reasons', receiver.url, ['reasons.*']);
    const end = inMs(60 * MINUTE);
    const paused = await switchboard.read(target, `/targets/${id}/pause`, {
      method: 'POST',
      json: { reason: 'The receiver is being migrated.', until: end },
    });
    expect(paused.paused).toMatchObject({ reason: 'The receiver is being migrated.', until: end });
    await post(`/targets/${id}/pause`);
    expect((await get(id)).paused).toEqual(paused.paused);
    await post(`/targets/${id}/pause`, { until: null });
    expect((await get(id)).paused).toEqual({ ...paused.paused, until: null });
    await post(`/targets/${id}/resume`);
    expect((await get(id)).paused).toBeNull();
    await post(`/targets/${id}/resume`);

    const { data } = await switchboard.read(pageOf(auditEntry), `/audit?subject=${id}`);
    expect(data.map(({ action, fields }) => [action, fields])).toEqual([
      ['target.resume', []],
      ['target.pause', ['until']],
      ['target.pause', ['reason', 'until']],
      ['target.create', ['name', 'url', 'events']],
    ]);
  });

  it.each([
    [{ until: '2020-01-01T00:00:00Z' }, 422, 'pause_already_over'],
    [{ until: 'tomorrow' }, 400, 'invalid_request'],
    [{ reason: '' }, 400, 'invalid_request'],
    [{ nonsense: 1 }, 400, 'invalid_request'],
  ])('is rejected with %j, and nothing is recorded', async (json, status, code) => {
    const { id } = await switchboard.addTarget(
      `rejected ${code} ${JSON.stringify(json)}`.replaceAll(/[=,]/g, ''),
      receiver.url,
      ['never.*'],
    );
    const response = await post(`/targets/${id}/pause`, json);
    expect([response.status, problem.parse(response.json).code]).toEqual([status, code]);
    expect((await get(id)).paused).toBeNull();
    const { data } = await switchboard.read(pageOf(auditEntry), `/audit?subject=${id}&action=target.pause`);
    expect(data).toEqual([]);
  });

  it('ends at its end, also if the daemon was restarted and the clock was set back before and in between', async () => {
    switchboard.clock.jump(-30 * MINUTE);
    const { id } = await switchboard.addTarget('for an hour', receiver.url, ['hour.*']);
    await post(`/targets/${id}/pause`, { until: inMs(60 * MINUTE) });
    const event = await switchboard.emit('hour.event');
    await switchboard.stop();
    switchboard.clock.jump(-180 * MINUTE);
    await startAgain();
    const { paused } = await get(id);
    const left = Date.parse(paused!.until!) - switchboard.clock.now();
    expect(left / MINUTE).toBeGreaterThan(58);
    expect(left / MINUTE).toBeLessThan(61);
    switchboard.clock.move(58 * MINUTE);
    expect((await get(id)).paused).not.toBeNull();
    expect(receiver.of(event)).toEqual([]);
    switchboard.clock.move(3 * MINUTE);
    await untilTarget('it is resumed', id, ({ paused: now }) => now === null);
    await until('the queued event arrives', () => receiver.of(event).length === 1);
    const { data } = await switchboard.read(pageOf(auditEntry), `/audit?subject=${id}&action=target.resume`);
    expect(data).toMatchObject([{ actor: { kind: 'switchboard' }, subject: { name: 'for an hour' } }]);
  });

  it('can be that of several or of all targets, with one audit entry and one event for each that changes', async () => {
    const before = await switchboard.read(pageOf(target), '/targets');
    const [one, other] = before.data.map(({ id }) => id);
    expect(await change('pause', { target_ids: [other], reason: 'Maintenance' })).toEqual({
      target_ids: [other],
    });
    expect((await get(one!)).paused).toBeNull();
    const { id: onCall } = await switchboard.addTarget('on call', receiver.url, ['relay.*']);
    // Time passes between the start of the pauses and the change of each target.
    const { clock } = switchboard;
    const now = clock.now.bind(clock);
    const reading = jest.spyOn(clock, 'now').mockImplementation(() => {
      clock.move(1);
      return now();
    });
    const { target_ids: changed } = await change('pause', {
      all: true,
      reason: 'Network',
      until: '2099-01-02T10:00:00Z',
    });
    reading.mockRestore();
    // Somebody must still be told.
    expect((await get(onCall)).paused).toBeNull();
    expect(await change('pause', { target_ids: [onCall] })).toEqual({ target_ids: [onCall] });
    expect(changed).toEqual(before.data.map(({ id }) => id).filter((id) => id !== other));
    const { data: all } = await switchboard.read(pageOf(target), '/targets');
    const ids = all.map(({ id }) => id);
    await until('the event of each pause', async () => {
      const pauses = await switchboard.read(
        pageOf(listedEvent),
        `/events?type=relay.target.paused&field=data.target_id&limit=${all.length}`,
      );
      const subjects = new Set(pauses.data.map(({ fields }) => fields?.['data.target_id']));
      return isDeepStrictEqual(subjects, new Set(ids));
    });
    expect(all.every(({ paused }) => paused !== null)).toBe(true);
    expect((await get(one!)).paused).toMatchObject({
      reason: 'Network',
      until: expect.stringContaining('2099'),
    });
    expect((await get(other!)).paused).toMatchObject({ reason: 'Maintenance', until: null });
    const entriesOf = async (action: string) =>
      (await switchboard.read(pageOf(auditEntry), `/audit?action=${action}&limit=${all.length}`)).data.map(
        ({ subject }) => subject?.id,
      );
    expect(new Set(await entriesOf('target.pause'))).toEqual(new Set(all.map(({ id }) => id)));
    expect(
      (await post('/targets/pause', { target_ids: ['tgt_00000000000000000000000000', one] })).status,
    ).toBe(404);
    for (const action of ['pause', 'resume'])
      expect(await post(`/targets/${action}`, {})).toMatchObject({
        status: 422,
        json: { code: 'selection_missing' },
      });
    expect((await change('resume', { all: true })).target_ids).toHaveLength(all.length);
    expect(new Set(await entriesOf('target.resume'))).toEqual(new Set(all.map(({ id }) => id)));
    expect(await change('resume', { all: true })).toEqual({ target_ids: [] });
  });
});
