import { join } from 'node:path';
import { duplicate, duplicateRelease } from '../../../src/contract/duplicate';
import { pageOf } from '../../../src/contract/page';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { queryStored } from '../../support/daemon/stored-data';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await switchboard.end();
});

/** Sends one notification several times. @returns the id of its event */
async function sendTimes(times: number, type: string, data: object = {}): Promise<string> {
  const notification = switchboard.sign(type, { ...data });
  const responses: { id: string }[] = [];
  for (let i = 0; i < times; i += 1)
    responses.push((await switchboard.notify(notification)).json as { id: string });
  expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
  return responses[0]!.id;
}

const list = (query = '') => switchboard.read(pageOf(duplicate), `/duplicates${query}`);
const release = (id: string) =>
  switchboard.read(duplicateRelease, `/duplicates/${id}/release`, { method: 'POST' });
const post = (path: string) => switchboard.ask(path, { method: 'POST' });

/** Locks the database against writes. @returns releases it */
function lockDatabase(): () => void {
  const connection = new sqliteDriver(join(switchboard.dataDir, 'switchboard.db'));
  connection.pragma('busy_timeout = 5000');
  connection.exec('BEGIN IMMEDIATE');
  return () => connection.close();
}

describe('duplicates', () => {
  it('are held and listed with their event, newest first, in pages', async () => {
    const receiver = await startReceiver();
    await switchboard.addTarget('holds', receiver.url, ['deal.held']);
    const first = await sendTimes(3, 'deal.held');
    const second = await sendTimes(2, 'deal.held');
    await until('both are delivered', async () =>
      (await list()).data.every(({ first: { status } }) => status === 'succeeded'),
    );
    const { data } = await list();
    expect(data.map(({ event_id, n, state }) => [event_id, n, state])).toEqual([
      [second, 1, 'held'],
      [first, 2, 'held'],
      [first, 1, 'held'],
    ]);
    expect(data[0]!.first).toMatchObject({ id: second, type: 'deal.held', duplicates: 1 });
    expect((await list(`?event=${first}`)).data.map(({ n }) => n)).toEqual([2, 1]);
    const page = await list('?limit=2');
    expect((await list(`?limit=2&cursor=${page.next_cursor}`)).data).toEqual(data.slice(2));
    expect(receiver.hits).toHaveLength(2);
  });

  it('are delivered when released, with the id of their event', async () => {
    const receiver = await startReceiver();
    const { id: targetId } = await switchboard.addTarget('released', receiver.url, ['deal.released']);
    const event = await sendTimes(2, 'deal.released');
    await until('the original arrives', () => receiver.hits.length === 1);
    const { id } = (await list()).data[0]!;
    // While nothing can be written, all requests are in progress.
    const releaseLock = lockDatabase();
    const requests = Array.from({ length: 8 }, () => post(`/duplicates/${id}/release`));
    for (let i = 0; i < 10; i += 1) await list();
    releaseLock();
    const responses = await Promise.all(requests);
    const [one, ...others] = responses.toSorted((a, b) => a.status - b.status);
    for (const other of others)
      expect(other).toMatchObject({ status: 409, json: { code: 'duplicate_settled' } });
    const released = duplicateRelease.parse(one!.json);
    expect(released.duplicate).toMatchObject({ id, state: 'released', delivered_to: [] });
    await until('the duplicate arrives', () => receiver.hits.length === 2);
    expect(receiver.hits.map(({ headers }) => headers['webhook-id'])).toEqual([event, event]);
    expect(receiver.hits[1]!.body).toEqual(receiver.hits[0]!.body);
    expect(receiver.hits[1]!.headers['switchboard-trigger']).toBe('manual');
    expect((await switchboard.event(event)).deliveries).toMatchObject([
      { target_id: targetId, trigger: 'live' },
      { id: released.delivery_ids[0], target_id: targetId, trigger: 'manual' },
    ]);
  });

  it('are not delivered when they are dismissed', async () => {
    const receiver = await startReceiver();
    await switchboard.addTarget('dismissing', receiver.url, ['deal.dismissed']);
    await sendTimes(2, 'deal.dismissed');
    const { id } = (await list()).data[0]!;
    expect(await switchboard.read(duplicate, `/duplicates/${id}/dismiss`, { method: 'POST' })).toMatchObject({
      state: 'dismissed',
    });
    expect(await post(`/duplicates/${id}/release`)).toMatchObject({ status: 409 });
    expect((await list('?state=held')).data.map((one) => one.id)).not.toContain(id);
    expect((await list('?state=dismissed')).data.map((one) => one.id)).toEqual([id]);
    expect(receiver.hits).toHaveLength(1);
  });

  it('cannot be released if no target accepts them, or if they are unknown', async () => {
    await sendTimes(2, 'deal.unmatched');
    const { id } = (await list()).data[0]!;
    expect(await post(`/duplicates/${id}/release`)).toMatchObject({
      status: 409,
      json: { code: 'no_target' },
    });
    expect(await post(`/duplicates/dup_${'0'.repeat(26)}/release`)).toMatchObject({
      status: 404,
      json: { code: 'duplicate_unknown' },
    });
  });

  it('cannot be released if their event was erased, only dismissed', async () => {
    const receiver = await startReceiver();
    await switchboard.addTarget('erased', receiver.url, ['deal.erased']);
    const event = await sendTimes(2, 'deal.erased');
    await until('the original arrives', () => receiver.hits.length === 1);
    const { id } = (await list()).data[0]!;
    // As if the notification had been repeated in the moment of the erasure.
    const erase = `INSERT INTO erased_events(seq, erasure, erased_at, size) VALUES (?, 1, 0, 0)`;
    await queryStored(switchboard.dataDir, erase, (await switchboard.event(event)).seq);
    expect(await post(`/duplicates/${id}/release`)).toMatchObject({
      status: 410,
      json: { code: 'event_erased' },
    });
    expect(await post(`/duplicates/${id}/dismiss`)).toMatchObject({ status: 200 });
    expect(receiver.hits).toHaveLength(1);
  });

  it('are delivered on arrival only to targets that accept duplicates', async () => {
    const [accepting, holding] = [await startReceiver(), await startReceiver()];
    const { id: acceptingId } = await switchboard.addTarget('takes', accepting.url, ['deal.taken'], {
      policy: { duplicates: 'deliver' },
    });
    await switchboard.addTarget('holds too', holding.url, ['deal.taken']);
    const event = await sendTimes(3, 'deal.taken');
    await until('all three arrive', () => accepting.of(event).length === 3);
    const held = (await list()).data.filter(({ event_id }) => event_id === event);
    expect(held).toMatchObject([
      { n: 2, state: 'held', delivered_to: [acceptingId] },
      { n: 1, state: 'held', delivered_to: [acceptingId] },
    ]);
    await release(held[0]!.id);
    await until('the duplicate arrives', () => holding.of(event).length === 2);
    expect(accepting.of(event)).toHaveLength(3);
  });

  it('are released on arrival if every target accepts duplicates', async () => {
    const receiver = await startReceiver();
    await switchboard.addTarget('takes all', receiver.url, ['deal.all'], {
      policy: { duplicates: 'deliver' },
    });
    const event = await sendTimes(2, 'deal.all');
    await until('both arrive', () => receiver.of(event).length === 2);
    expect((await list()).data[0]).toMatchObject({ event_id: event, state: 'released' });
  });

  it('wait in their lane behind their event while that is queued', async () => {
    let failing = true;
    const receiver = await startReceiver((response) => void response.writeHead(failing ? 404 : 204).end());
    const { id } = await switchboard.addTarget('in order', receiver.url, ['deal.lane'], {
      policy: { ordering: 'entity', duplicates: 'deliver' },
    });
    const first = await switchboard.emit('deal.lane', { id: 1 });
    await switchboard.deliveryOnce(first, id, ({ attempt_count }) => attempt_count === 1);
    const second = await sendTimes(2, 'deal.lane', { id: 1 });
    const third = await switchboard.emit('deal.lane', { id: 1 });
    expect((await switchboard.event(second)).deliveries.map(({ state }) => state)).toEqual([
      'waiting',
      'waiting',
    ]);
    failing = false;
    switchboard.clock.move(7_000);
    await until('all arrive', () => receiver.hits.length === 5);
    expect(receiver.hits.slice(1).map(({ headers }) => headers['webhook-id'])).toEqual([
      first,
      second,
      second,
      third,
    ]);
  });

  it('are sent immediately if their event is finished, whatever has been queued in its lane since', async () => {
    const receiver = await startReceiver();
    const { id } = await switchboard.addTarget('through', receiver.url, ['deal.through'], {
      policy: { ordering: 'entity', duplicates: 'deliver' },
    });
    const notification = switchboard.sign('deal.through', { id: 1 });
    const { id: first } = (await switchboard.notify(notification)).json as { id: string };
    await switchboard.deliveryOnce(first, id, ({ state }) => state === 'succeeded');
    receiver.respondWith((response, { headers }) => {
      response.writeHead(headers['webhook-id'] === first ? 204 : 404).end();
    });
    const open = await switchboard.emit('deal.through', { id: 1 });
    await switchboard.deliveryOnce(open, id, ({ state }) => state === 'retrying');
    await switchboard.notify(notification);
    await until('the duplicate arrives', () => receiver.of(first).length === 2);
    expect((await switchboard.event(open)).deliveries).toMatchObject([{ state: 'retrying' }]);
  });
});
