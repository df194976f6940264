import { join } from 'node:path';
import { duplicate, duplicateRelease } from '../../../src/contract/duplicate';
import { pageOf } from '../../../src/contract/page';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let board: Switchboard;
const receiver = useReceivers();

beforeAll(async () => {
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
});

/** Sends one notification so many times. @returns the id of its event */
async function sendTimes(times: number, type: string, data: object = {}): Promise<string> {
  const notification = board.sign(type, { ...data });
  const answers: { id: string }[] = [];
  for (let i = 0; i < times; i += 1) answers.push((await board.notify(notification)).json as { id: string });
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  return answers[0]!.id;
}

const list = (query = '') => board.read(pageOf(duplicate), `/duplicates${query}`);
const release = (id: string) => board.read(duplicateRelease, `/duplicates/${id}/release`, { method: 'POST' });
const post = (path: string) => board.ask(path, { method: 'POST' });

/** Keeps everything that is to be stored waiting. @returns lets it be stored */
function holdWriting(): () => void {
  const connection = new sqliteDriver(join(board.dataDir, 'switchboard.db'));
  connection.pragma('busy_timeout = 5000');
  connection.exec('BEGIN IMMEDIATE');
  return () => connection.close();
}

describe('duplicates', () => {
  it('are held and listed beside their first, newest first, a page at a time', async () => {
    const place = await receiver();
    await board.addTarget('holds', place.url, ['deal.held']);
    const first = await sendTimes(3, 'deal.held');
    const second = await sendTimes(2, 'deal.held');
    await until('both', () => place.hits.length === 2);
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
    expect(place.hits).toHaveLength(2);
  });

  it('are delivered once more when they are released, under the id of their first', async () => {
    const place = await receiver();
    const { id: targetId } = await board.addTarget('released', place.url, ['deal.released']);
    const event = await sendTimes(2, 'deal.released');
    await until('the first', () => place.hits.length === 1);
    const { id } = (await list()).data[0]!;
    // While nothing can be stored, all of them are under way.
    const letStore = holdWriting();
    const asked = Array.from({ length: 8 }, () => post(`/duplicates/${id}/release`));
    for (let i = 0; i < 10; i += 1) await list();
    letStore();
    const answers = await Promise.all(asked);
    const [one, ...others] = answers.toSorted((a, b) => a.status - b.status);
    for (const other of others)
      expect(other).toMatchObject({ status: 409, json: { code: 'duplicate_settled' } });
    const released = duplicateRelease.parse(one!.json);
    expect(released.duplicate).toMatchObject({ id, state: 'released', delivered_to: [] });
    await until('the second', () => place.hits.length === 2);
    expect(place.hits.map(({ headers }) => headers['webhook-id'])).toEqual([event, event]);
    expect(place.hits[1]!.body).toEqual(place.hits[0]!.body);
    expect(place.hits[1]!.headers['switchboard-trigger']).toBe('manual');
    expect((await board.event(event)).deliveries).toMatchObject([
      { target_id: targetId, trigger: 'live' },
      { id: released.delivery_ids[0], target_id: targetId, trigger: 'manual' },
    ]);
  });

  it('stay undelivered when they are dismissed', async () => {
    const place = await receiver();
    await board.addTarget('dismissing', place.url, ['deal.dismissed']);
    await sendTimes(2, 'deal.dismissed');
    const { id } = (await list()).data[0]!;
    expect(await board.read(duplicate, `/duplicates/${id}/dismiss`, { method: 'POST' })).toMatchObject({
      state: 'dismissed',
    });
    expect(await post(`/duplicates/${id}/release`)).toMatchObject({ status: 409 });
    expect((await list('?state=held')).data.map((one) => one.id)).not.toContain(id);
    expect((await list('?state=dismissed')).data.map((one) => one.id)).toEqual([id]);
    expect(place.hits).toHaveLength(1);
  });

  it('cannot be released where no target accepts them, and unknown ones are said to be so', async () => {
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

  it('go out as they come to a target that takes them, and to it alone', async () => {
    const [taking, holding] = [await receiver(), await receiver()];
    const { id: takes } = await board.addTarget('takes', taking.url, ['deal.taken'], {
      policy: { duplicates: 'deliver' },
    });
    await board.addTarget('holds too', holding.url, ['deal.taken']);
    const event = await sendTimes(3, 'deal.taken');
    await until('all three', () => taking.of(event).length === 3);
    const held = (await list()).data.filter(({ event_id }) => event_id === event);
    expect(held).toMatchObject([
      { n: 2, state: 'held', delivered_to: [takes] },
      { n: 1, state: 'held', delivered_to: [takes] },
    ]);
    await release(held[0]!.id);
    await until('the other', () => holding.of(event).length === 2);
    expect(taking.of(event)).toHaveLength(3);
  });

  it('are released already where every target takes them', async () => {
    const place = await receiver();
    await board.addTarget('takes all', place.url, ['deal.all'], { policy: { duplicates: 'deliver' } });
    const event = await sendTimes(2, 'deal.all');
    await until('both', () => place.of(event).length === 2);
    expect((await list()).data[0]).toMatchObject({ event_id: event, state: 'released' });
  });

  it('wait in their lane behind their first while that is open', async () => {
    let failing = true;
    const place = await receiver((response) => void response.writeHead(failing ? 404 : 204).end());
    const { id } = await board.addTarget('in order', place.url, ['deal.lane'], {
      policy: { ordering: 'entity', duplicates: 'deliver' },
    });
    const first = await board.emit('deal.lane', { id: 1 });
    await board.deliveryOnce(first, id, ({ attempt_count }) => attempt_count === 1);
    const second = await sendTimes(2, 'deal.lane', { id: 1 });
    const third = await board.emit('deal.lane', { id: 1 });
    expect((await board.event(second)).deliveries.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    failing = false;
    board.clock.move(7_000);
    await until('all', () => place.hits.length === 5);
    expect(place.hits.slice(1).map(({ headers }) => headers['webhook-id'])).toEqual([
      first,
      second,
      second,
      third,
    ]);
  });

  it('go out at once where their first is through, whatever is open in its lane since', async () => {
    const place = await receiver();
    const { id } = await board.addTarget('through', place.url, ['deal.through'], {
      policy: { ordering: 'entity', duplicates: 'deliver' },
    });
    const notification = board.sign('deal.through', { id: 1 });
    const { id: first } = (await board.notify(notification)).json as { id: string };
    await board.deliveryOnce(first, id, ({ state }) => state === 'succeeded');
    place.answer((response, { headers }) => {
      response.writeHead(headers['webhook-id'] === first ? 204 : 404).end();
    });
    const open = await board.emit('deal.through', { id: 1 });
    await board.deliveryOnce(open, id, ({ state }) => state === 'retrying');
    await board.notify(notification);
    await until('the repeat', () => place.of(first).length === 2);
    expect((await board.event(open)).deliveries).toMatchObject([{ state: 'retrying' }]);
  });
});
