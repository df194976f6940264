import { consumer, consumerCommitted, consumerEvents, type Consumer } from '../../../src/contract/consumer';
import { pageOf } from '../../../src/contract/page';
import { auditEntry } from '../../../src/contract/audit';
import type { TestResponse } from '../../support/http';
import { Switchboard } from '../../support/daemon/switchboard';
import { askWith, makeToken } from '../access/token-fixture';

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

const post = (path: string, json: object = {}) => switchboard.ask(path, { method: 'POST', json });
const create = (json: object) => switchboard.read(consumer, '/consumers', { method: 'POST', json });
const read = (name: string, json: object = {}) =>
  switchboard.read(consumerEvents, `/consumers/${name}/read`, { method: 'POST', json });
const codeOf = ({ status, json }: TestResponse) => [status, (json as { code?: string } | null)?.code];

it('a loop of reads and commits sees every event once, with its payload', async () => {
  await create({ name: 'loop', types: ['deal.*'] });
  const ids = [
    await switchboard.emit('deal.created', { id: 1 }),
    await switchboard.emit('deal.updated', { id: 1 }),
  ];
  await switchboard.emit('contact.created');
  const { data, lease, next_cursor: position } = await read('loop', { include: 'body' });
  expect(data.map(({ id }) => id)).toEqual(ids);
  expect(data[0]!.body).toMatchObject({ event: 'deal.created', data: { id: 1 } });
  const json = { lease, position };
  await switchboard.read(consumerCommitted, '/consumers/loop/commit', { method: 'POST', json });
  const waiting = read('loop', { lease, wait: 30 });
  const last = await switchboard.emit('deal.won');
  expect((await waiting).data.map(({ id }) => id)).toEqual([last]);
});

it('is created once for the same settings, and its name is taken for others', async () => {
  const settings = { name: 'named', payload: { 'data.id': 7 } };
  expect((await post('/consumers', settings)).status).toBe(201);
  expect((await post('/consumers', settings)).status).toBe(200);
  expect(codeOf(await post('/consumers', { name: 'named' }))).toEqual([409, 'consumer_name_taken']);
  expect(codeOf(await post('/consumers', { name: 'Upper Case' }))).toEqual([400, 'invalid_request']);
  expect(codeOf(await post('/consumers', { name: 'x', payload: { $bad: 1 } }))).toEqual([
    422,
    'filter_invalid',
  ]);
  expect(codeOf(await post('/consumers/none/read'))).toEqual([404, 'consumer_unknown']);
});

it('can be changed, reset and removed, each with an entry in the audit log', async () => {
  await create({ name: 'audited' });
  const json = { types: ['deal.*'], entity: 'deal:1' };
  const changed = await switchboard.read(consumer, '/consumers/audited', { method: 'PATCH', json });
  expect(changed).toMatchObject({ ...json, q: null });
  expect((await post('/consumers/audited/reset', { position: 'oldest' })).json).toMatchObject({
    position: null,
  });
  expect((await switchboard.ask('/consumers/audited', { method: 'DELETE' })).status).toBe(204);
  expect(codeOf(await switchboard.ask('/consumers/audited'))).toEqual([404, 'consumer_unknown']);
  const { data } = await switchboard.read(pageOf(auditEntry), '/audit?subject=audited');
  expect(data.map(({ action }) => action)).toEqual([
    'consumer.remove',
    'consumer.reset',
    'consumer.change',
    'consumer.create',
  ]);
});

it('a token with the scope receive uses its own consumers only, at most five', async () => {
  const { secret, id } = await makeToken(switchboard, ['receive']);
  const ask = (method: string, path: string, json?: object) =>
    askWith(switchboard, secret, `/api/v1/consumers${path}`, { method, json });
  await create({ name: 'of-others' });
  for (const name of ['own-1', 'own-2', 'own-3', 'own-4', 'own-5'])
    expect((await ask('POST', '', { name })).status).toBe(201);
  expect(codeOf(await ask('POST', '', { name: 'own-6' }))).toEqual([409, 'too_many_consumers']);
  expect(codeOf(await ask('POST', '', { name: 'of-others' }))).toEqual([409, 'consumer_name_taken']);
  expect(codeOf(await ask('GET', '/of-others'))).toEqual([404, 'consumer_unknown']);
  expect(codeOf(await ask('POST', '/of-others/read', {}))).toEqual([404, 'consumer_unknown']);
  const { data } = (await ask('GET', '')).json as { data: Consumer[] };
  expect(data.map(({ name }) => name)).toEqual(['own-1', 'own-2', 'own-3', 'own-4', 'own-5']);
  expect(data[0]!.created_by).toEqual({ kind: 'api_token', id, name: 'receive' });
  expect((await ask('POST', '/own-1/read', {})).status).toBe(200);
  expect((await switchboard.ask('/consumers/own-1')).status).toBe(200);
});

it('a list has pages', async () => {
  const first = await switchboard.read(pageOf(consumer), '/consumers?limit=1');
  expect(first.data).toHaveLength(1);
  const rest = await switchboard.read(pageOf(consumer), `/consumers?cursor=${first.next_cursor}`);
  expect(rest.data.map(({ name }) => name)).not.toContain(first.data[0]!.name);
});
