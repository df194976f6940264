import { connect, type Socket } from 'node:net';
import { followingEvents } from '../../../src/contract/event';
import { Switchboard } from '../../support/daemon/switchboard';
import { askWith, makeToken } from '../access/token-fixture';
import { until } from '../../support/until';

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start();
});
/** They are still connected when the daemon stops. */
const deaf: Socket[] = [];
afterAll(async () => {
  for (const socket of deaf) socket.destroy();
  await switchboard.end();
});

const follow = (query: string) => switchboard.read(followingEvents, `/events?${query}`);
const rejection = async (query: string) => {
  const { status, json } = await switchboard.ask(`/events?${query}`);
  return { status, ...(json as { code: string }) };
};

it('what follows is oldest first, and ends at the newest event', async () => {
  const { next_cursor: start } = await follow('after=newest');
  const ids = [await switchboard.emit('deal.updated'), await switchboard.emit('deal.created')];
  const page = await follow(`after=${start}&type=deal.*&limit=1`);
  expect(page.data.map(({ id }) => id)).toEqual([ids[0]]);
  expect(page.lag).toBe(page.newest_seq - page.data[0]!.seq);
  const { data } = await follow(`after=${page.next_cursor}&type=deal.*`);
  expect(data.map(({ id }) => id)).toEqual([ids[1]]);
  expect((await follow(`after=${ids[1]}&type=deal.*`)).data).toEqual([]);
});

it('a position moves over events that do not match', async () => {
  const { next_cursor: start } = await follow('after=newest');
  await switchboard.emit('deal.updated');
  const { data, next_cursor: end } = await follow(`after=${start}&type=task.*`);
  expect(data).toEqual([]);
  expect(end > start).toBe(true);
});

it('payloads are included as they were received, beside requested fields', async () => {
  const { next_cursor: start } = await follow('after=newest');
  const body = `{"event":"deal.big","timestamp":"2026-03-02T09:30:00Z","webhook_id":"${switchboard.webhook.webhook_id}","data":{"id":12345678901234567890}}`;
  await switchboard.notify({
    body: Buffer.from(body),
    signature: switchboard.upstream.sign(switchboard.webhook, Buffer.from(body)),
  });
  const { text, json } = await switchboard.ask(
    `/events?after=${start}&type=deal.big&include=body&field=data.id`,
  );
  expect(followingEvents.parse(json).data[0]).toMatchObject({
    fields: { 'data.id': '12345678901234567890' },
  });
  expect(text).toContain(`"body":${body},"body_base64":null}`);
});

it('a page with payloads ends at 1 MiB', async () => {
  const { next_cursor: start } = await follow('after=newest');
  for (let i = 0; i < 3; i += 1) await switchboard.emit('deal.large', { text: 'x'.repeat(500_000) });
  const page = await follow(`after=${start}&type=deal.large&include=body`);
  expect(page.data).toHaveLength(2);
  expect((await follow(`after=${page.next_cursor}&type=deal.large&include=body`)).data).toHaveLength(1);
});

it('requests that wait are all answered by the event that matches them', async () => {
  const { next_cursor: start } = await follow('after=newest');
  const waiting = [
    follow(`after=${start}&type=task.created&wait=30`),
    follow(`after=${start}&type=task.created&wait=30&include=body`),
    follow(`after=${start}&type=task.*&wait=30&limit=1`),
  ];
  const other = follow('after=newest&type=contact.*&wait=1');
  await switchboard.emit('deal.updated');
  const id = await switchboard.emit('task.created', { id: 7 });
  const pages = await Promise.all(waiting);
  expect(pages.map(({ data }) => data.map((event) => event.id))).toEqual([[id], [id], [id]]);
  expect(pages[1]!.data[0]!.body).toMatchObject({ event: 'task.created', data: { id: 7 } });
  expect((await other).data).toEqual([]);
});

it.each([
  ['after=newest&status=dead', 'filter_not_followable'],
  ['after=newest&target=tgt_00000000000000000000000000', 'filter_not_followable'],
  ['after=newest&cursor=evt_1', 'invalid_request'],
  ['after=yesterday', 'invalid_request'],
  ['wait=5', 'invalid_request'],
  ['include=body', 'invalid_request'],
  ['after=newest&wait=31', 'invalid_request'],
])('%s is answered with 400 %s', async (query, code) => {
  expect(await rejection(query)).toMatchObject({ status: 400, code });
});

it('a request of a token that is revoked ends without events', async () => {
  const { secret, id } = await makeToken(switchboard, ['read']);
  const held = Array.from({ length: 16 }, () =>
    askWith(switchboard, secret, '/api/v1/events?after=newest&type=no.such&wait=30'),
  );
  const isFull = async () =>
    (await askWith(switchboard, secret, '/api/v1/events?after=newest')).status === 429;
  await until('all of them wait', isFull);
  expect((await switchboard.ask(`/tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  for (const { status, json } of await Promise.all(held))
    expect([status, followingEvents.parse(json).data]).toEqual([200, []]);
});

it('clients that never read their responses delay neither others nor the stop', async () => {
  const { secret } = await makeToken(switchboard, ['read']);
  const get = (query: string) =>
    `GET /api/v1/events?${query} HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${secret}\r\n\r\n`;
  const large = get('after=oldest&type=deal.large&include=body&wait=30');
  for (let i = 0; i < 12; i += 1) {
    const socket = connect(switchboard.port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(large.repeat(10) + get('after=newest&type=no.such&wait=30').repeat(10));
    deaf.push(socket);
  }
  const { next_cursor: start } = await follow('after=newest');
  const waiting = follow(`after=${start}&type=contact.created&wait=30`);
  const id = await switchboard.emit('contact.created');
  expect((await waiting).data.map((event) => event.id)).toEqual([id]);
});

it('16 requests wait for each credential beside other reads, and end without events when the daemon stops', async () => {
  const held = Array.from({ length: 16 }, () => follow('after=newest&type=no.such&wait=30'));
  await until('the limit is reached', async () => (await rejection('after=newest')).status === 429);
  expect(await rejection('after=newest')).toMatchObject({ code: 'too_many_reads' });
  await switchboard.emit('deal.updated');
  expect((await switchboard.ask('/events?limit=1')).status).toBe(200);
  const stopped = switchboard.relay.stop();
  expect((await Promise.all(held)).flatMap(({ data }) => data)).toEqual([]);
  await stopped;
});
