import { filterPreview } from '../../../src/contract/filter';
import { explanation } from '../../../src/contract/explanation';
import type { TargetMatches } from '../../../src/contract/target-test';
import { target } from '../../../src/contract/target';
import { signedNotification } from '../../support/signed-notification';
import { arrived, patch, receiver, rejected, switchboard, useHub } from './hub';

const LARGE_EVENTS = 12;

useHub();

const preview = (json: object) =>
  switchboard.read(filterPreview, '/targets/preview', { method: 'POST', json });

const targetsOf = async (id: string) => (await switchboard.event(id)).deliveries.map((one) => one.target_id);

const post = (path: string, body: string) =>
  switchboard.ask(path, { method: 'POST', headers: [['content-type', 'application/json']], body });

const emitDigits = async (digits: string) => {
  const body = Buffer.from(
    `{"event":"digits.sent","timestamp":"2026-03-02T09:30:00Z","webhook_id":"wh_1","data":{"id":${digits}}}`,
  );
  const response = await switchboard.notify({
    body,
    signature: switchboard.upstream.sign(switchboard.webhook, body),
  });
  return (response.json as { id: string }).id;
};

const match = (raw: string) =>
  switchboard.ask('/targets/match', { method: 'POST', json: { type: 'deal.updated', raw } });

describe('a notification that does not exist', () => {
  it('is matched with all targets, with the reason why one would not receive it', async () => {
    const events = ['deal.*'];
    const large = await switchboard.addTarget('large', receiver.url, events, {
      filter: { 'data.id': { $gt: 9 } },
    });
    const tasks = await switchboard.addTarget('tasks', receiver.url, ['task.*']);
    const { targets } = (await match('{"data":{"id":9}}')).json as TargetMatches;
    expect(targets.filter(({ target_id: id }) => [large.id, tasks.id].includes(id))).toEqual([
      {
        target_id: large.id,
        name: 'large',
        reason: expect.stringContaining('must be greater than 9, but it is 9'),
      },
      { target_id: tasks.id, name: 'tasks', reason: 'It does not receive deal.updated, only task.*.' },
    ]);
    expect((await match('{"data":{"id":10}}')).json).toMatchObject({
      targets: expect.arrayContaining([{ target_id: large.id, name: 'large', reason: null }]),
    });
    expect(await match('{"data":')).toMatchObject({ status: 400, json: { errors: [{ path: 'raw' }] } });
    await switchboard.removeTarget(large);
    await switchboard.removeTarget(tasks);
  });
});

describe('a filter', () => {
  it('passes the events that it describes and no others; an unreadable event never passes', async () => {
    // This filter would also match an event without a payload.
    const wanted = { 'data.status_id': { $nin: [1, 4] } };
    const filtered = await switchboard.addTarget('filtered', receiver.url, ['*'], { filter: wanted });
    expect(filtered.filter).toEqual(wanted);
    const open = await switchboard.addTarget('open', receiver.url, ['*']);
    const yes = await switchboard.emit('filtered.event', { status_id: 3 });
    const no = await switchboard.emit('filtered.event', { status_id: 4 });
    const unreadable = (await switchboard.notify(signedNotification('not-json'))).json as { id: string };
    expect((await targetsOf(yes)).sort()).toEqual([filtered.id, open.id].sort());
    expect(await targetsOf(no)).toEqual([open.id]);
    expect(await targetsOf(unreadable.id)).toEqual([open.id]);

    await patch(filtered.id, { filter: { 'data.status_id': 4 } });
    expect(await targetsOf(await switchboard.emit('filtered.event', { status_id: 4 }))).toContain(
      filtered.id,
    );
    expect((await patch(filtered.id, { filter: null })).filter).toBeNull();
    expect(await targetsOf(await switchboard.emit('filtered.event'))).toContain(filtered.id);
    await switchboard.removeTarget(filtered);
    await switchboard.removeTarget(open);
  });

  it('compares all digits of an integer, also when it is sent again with another payload', async () => {
    const id = '9223372036854775807';
    const settings = `"name":"digits","url":"${receiver.url}","events":["digits.*"]`;
    const created = await post('/targets', `{${settings},"filter":{"data.id":${id}}}`);
    expect(created).toMatchObject({ status: 201, json: { filter: { 'data.id': id } } });
    const { id: targetId } = created.json as { id: string };
    const [same, other] = [await emitDigits(id), await emitDigits('9223372036854775806')];
    expect(await targetsOf(same)).toContain(targetId);
    expect(await targetsOf(other)).not.toContain(targetId);
    const { targets } = await switchboard.read(explanation, `/events/${other}/explain`);
    expect(targets.find(({ name }) => name === 'digits')!.reason).toMatch(
      /data\.id must be "?9223372036854775807"?, but it is 9223372036854775806/,
    );
    const edited = `{"data": {"id": ${id}, "n": 1.5}}`;
    const sent = await post(`/events/${other}/resend`, `{"body":${edited},"target_ids":["${targetId}"]}`);
    expect(sent.status).toBe(202);
    expect((await arrived(other)).body.toString()).toBe(edited.replaceAll(' ', ''));
    await switchboard.removeTarget({ id: targetId });
  });

  it('is rejected if invalid, with the path of the error, on creation, change and preview', async () => {
    const created = await switchboard.addTarget('kept', receiver.url, ['never.*'], { filter: { a: 1 } });
    const wrong = { filter: { 'data.id': { $where: '1' }, 'a..b': 1 } };
    const expected = {
      status: 422,
      code: 'filter_invalid',
      paths: ['filter.data.id.$where', 'filter.a..b'],
    };
    expect(await rejected(wrong)).toEqual(expected);
    expect(await rejected(wrong, created.id)).toEqual(expected);
    expect(await switchboard.ask('/targets/preview', { method: 'POST', json: wrong })).toMatchObject({
      status: 422,
      json: { code: 'filter_invalid' },
    });
    expect((await switchboard.read(target, `/targets/${created.id}`)).filter).toEqual({ a: 1 });
    const poisoned = '{"name":"poisoned","url":"http://127.0.0.1:9/","filter":{"__proto__":{"a":1}}}';
    const response = await switchboard.ask('/targets', {
      method: 'POST',
      headers: [['content-type', 'application/json']],
      body: poisoned,
    });
    expect(response.status).toBe(400);
    await switchboard.removeTarget(created);
  });

  it('is previewed without blocking the thread that receives notifications', async () => {
    // So much work that this thread gets its turns also on a busy machine.
    for (let i = 0; i < LARGE_EVENTS; i += 1)
      await switchboard.emit('large.event', { i, list: Array.from({ length: 99_000 }, () => 0) });
    const filter = { $or: Array.from({ length: 50 }, (_, i) => ({ 'data.list': { $gt: i } })) };
    const request = { events: ['large.*'], filter, last: LARGE_EVENTS };
    expect(await preview({ ...request, last: 1 })).toMatchObject({ checked: 1, matched: 0 });
    const { checked, matched } = await preview(request);
    expect(matched).toBe(0);
    // Fewer than requested if the machine needs longer than a preview may take.
    expect(checked).toBeGreaterThan(0);
    let turns = 0;
    let running = true;
    const countTurn = () => {
      turns += 1;
      if (running) setImmediate(countTurn);
    };
    countTurn();
    await preview(request);
    running = false;
    expect(turns).toBeGreaterThan(100);
  });

  it('can be previewed on stored events before it is saved', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) ids.push(await switchboard.emit('previewed.event', { n: i }));
    await switchboard.emit('other.event', { n: 29 });
    const found = await preview({ events: ['previewed.*'], filter: { 'data.n': { $gte: 5 } }, last: 31 });
    expect(found).toMatchObject({ checked: 31, matched: 25 });
    expect(found.data.map(({ id }) => id)).toEqual(ids.slice(10).toReversed());
    expect(await preview({ events: ['previewed.*'], last: 11 })).toMatchObject({
      checked: 11,
      matched: 10,
    });
    expect(await preview({ filter: { 'data.n': 29 }, last: 5 })).toMatchObject({ matched: 2 });
    const all = await preview({ events: ['*', 'relay.*'] });
    expect(all.matched).toBe(all.checked);
    expect(all.checked).toBeGreaterThan(31);
  });
});
