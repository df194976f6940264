import { explanation } from '../../../src/contract/explanation';
import { target as targetSchema, targetCreated, type TargetCreated } from '../../../src/contract/target';
import { replayDetail } from '../../../src/contract/replay';
import { testOutcome } from '../../../src/contract/target-test';
import { assertBalanced } from '../../support/daemon/ledger';
import { ListenerProcess } from '../../support/fakes/listener-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { makeToken } from '../access/token-fixture';

let switchboard: Switchboard;
const started: ListenerProcess[] = [];
let count = 0;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterEach(() => {
  for (const process of started.splice(0)) process.close();
});
afterAll(() => switchboard.end());

const addListener = (more: object = {}): Promise<TargetCreated> =>
  switchboard.read(targetCreated, '/targets', {
    method: 'POST',
    json: { kind: 'listener', name: `listener ${(count += 1)}`, events: [`deal.n${count}`], ...more },
  });

async function connect(
  target: { id: string },
  handshake: object = {},
  token = switchboard.adminToken,
): Promise<ListenerProcess> {
  const process = await ListenerProcess.start(switchboard.origin, token, { target: target.id, ...handshake });
  started.push(process);
  return process;
}

const read = ({ id }: { id: string }) => switchboard.read(targetSchema, `/targets/${id}`);
const stateOf = async (target: { id: string }) => (await read(target)).health.states[0];
const isRemoved = async ({ id }: { id: string }) => (await switchboard.ask(`/targets/${id}`)).status === 404;
const emit = ({ events }: TargetCreated, id = 1) => switchboard.emit(events[0]!, { id });

it('a process that connects is sent what was queued while nobody listened, signed and in the order of each deal', async () => {
  const target = await addListener();
  expect(target).toMatchObject({ url: null, kind: 'listener', listener: { connected: false } });
  const events = [await emit(target), await emit(target), await emit(target, 2)];
  expect(await stateOf(target)).toBe('offline');
  const { summary } = await switchboard.read(explanation, `/events/${events[0]}/explain`);
  expect(summary).toContain('while the listener is offline');

  // Nothing holds up deliveries that wait for a process.
  switchboard.clock.move(120_000);
  await assertBalanced({ url: switchboard.origin, token: switchboard.adminToken });

  const process = await connect(target);
  expect(process.ready).toMatchObject({ queued: 3, name: target.name });
  await until('all are confirmed', () => process.confirmed.length === 3);
  const [first] = process.deliveries;
  expect(first!.headers).toMatchObject({ 'webhook-id': events[0], 'switchboard-attempt': '1' });
  expect(JSON.parse(Buffer.from(first!.body).toString())).toMatchObject({ data: { id: 1 } });
  const order = process.deliveries.map(({ headers }) => headers['webhook-id']);
  expect(order.indexOf(events[0])).toBeLessThan(order.indexOf(events[1]));
  expect(await read(target)).toMatchObject({
    health: { states: ['active'] },
    listener: {
      connected: true,
      version: '0.0.0',
      forward_to: 'http://localhost:3000/',
      address: '127.0.0.1',
    },
  });
});

it('an attempt without an answer is not counted, and made again under the same number', async () => {
  const target = await addListener();
  const process = await connect(target);
  process.answer = null;
  const event = await emit(target);
  await until('it is sent', () => process.deliveries.length === 1);
  process.lose();
  await until('it is offline', async () => (await stateOf(target)) === 'offline');
  expect((await switchboard.event(event)).deliveries[0]).toMatchObject({
    attempt_count: 0,
    state: 'pending',
  });

  const next = await connect(target);
  const delivery = await switchboard.deliveryOnce(event, target.id, ({ state }) => state === 'succeeded');
  expect(delivery.attempts).toHaveLength(1);
  expect(next.deliveries.map(({ delivery: id, attempt }) => [id, attempt])).toEqual([[delivery.id, 1]]);
});

it('a local failure is a counted attempt; without a local connection the target is offline until there is one', async () => {
  const target = await addListener({ policy: { retry: { delays_s: [0.1, 0.1] } } });
  const process = await connect(target);
  process.answer = () => ({ status: 500, excerpt: 'not today' });
  const event = await emit(target);
  await until('it failed', () => process.confirmed.length > 0);
  process.answer = () => {
    process.socket.emit('accepting', false);
    return { error: 'not_connected' };
  };
  await until('it is offline', async () => (await stateOf(target)) === 'offline');
  expect(await read(target)).toMatchObject({ listener: { connected: true } });
  const { length: sent } = process.deliveries;
  const other = await emit(target, 2);
  const { summary } = await switchboard.read(explanation, `/events/${other}/explain`);
  expect(summary).toContain('while the listener is offline');
  expect(process.deliveries).toHaveLength(sent);
  const wanted = { filter: { types: target.events }, target_ids: [target.id] };
  const { id: replay } = await switchboard.read(replayDetail, '/replays', { method: 'POST', json: wanted });
  const waitingFor = async () => (await switchboard.read(replayDetail, `/replays/${replay}`)).waiting_for;
  await until('a replay waits', async () => (await waitingFor()).length > 0);
  const { since } = (await read(target)).listener!;
  expect(await waitingFor()).toMatchObject([
    { target_id: target.id, why: 'offline', since, reason: 'Its receiver refuses connections.' },
  ]);
  process.answer = () => ({ status: 204 });
  process.socket.emit('accepting', true);
  const { attempts } = await switchboard.deliveryOnce(event, target.id, ({ state }) => state === 'succeeded');
  expect(attempts.at(0)).toMatchObject({ number: 1, status: 500, excerpt: 'not today' });
  expect(attempts.at(-1)).toMatchObject({ status: 204 });
  expect(attempts.every(({ status }) => status !== null)).toBe(true);
});

it('the connection of a process that is silent is closed, also if its connection looks open', async () => {
  const target = await addListener();
  await connect(target);
  expect(await stateOf(target)).toBe('active');
  switchboard.clock.move(12_000);
  await until('it is offline', async () => (await stateOf(target)) === 'offline');
});

it('one process at a time: another is refused, unless it takes over; its own next connection replaces it', async () => {
  const target = await addListener();
  const first = await connect(target);
  const again = await connect(target);
  await until('the first connection ends', () => !first.socket.connected);
  expect([first.bye, again.rejection]).toEqual([null, null]);

  const other = { client_id: 'another one of the test' };
  expect((await connect(target, other)).rejection).toBe('listener_connected');
  const taking = await connect(target, { ...other, take_over: true });
  await until('the other is told', () => again.bye === 'taken_over');
  expect(taking.ready).not.toBeNull();
});

it('a test, a dead letter that is retried, and a pause work as for any target', async () => {
  const target = await addListener({ policy: { retry: { delays_s: [] } } });
  const test = () => switchboard.read(testOutcome, `/targets/${target.id}/test`, { method: 'POST' });
  await expect(test()).rejects.toThrow('listener_offline');
  const process = await connect(target);
  expect(await test()).toMatchObject({ delivered: true, status: 200 });

  process.answer = () => ({ error: 'timeout' });
  const event = await emit(target);
  const { id } = await switchboard.deliveryOnce(event, target.id, ({ state }) => state === 'dead');
  process.answer = () => ({ status: 200 });
  expect((await switchboard.ask(`/deliveries/${id}/retry`, { method: 'POST' })).status).toBe(202);
  await until(
    'it is delivered',
    () => process.deliveries.at(-1)!.headers['switchboard-trigger'] === 'manual',
  );

  await switchboard.ask(`/targets/${target.id}/pause`, { method: 'POST', json: {} });
  const paused = await emit(target);
  await switchboard.ask(`/targets/${target.id}/resume`, { method: 'POST' });
  await switchboard.deliveryOnce(paused, target.id, ({ state }) => state === 'succeeded');
});

it('its process is told when it is removed or its token revoked', async () => {
  const target = await addListener();
  const token = await makeToken(switchboard, ['receive', 'operate']);
  const process = await connect(target, {}, token.secret);
  await switchboard.ask(`/tokens/${token.id}`, { method: 'DELETE' });
  await until('it is told', () => process.bye === 'token_revoked');
  const next = await connect(target);
  await switchboard.removeTarget(target);
  await until('it is told', () => next.bye === 'target_removed');
  expect((await connect(target)).rejection).toBe('target_removed');
});

it('a token that may only receive attaches to its own listeners, at most five, and to nothing else', async () => {
  const { secret } = await makeToken(switchboard, ['receive']);
  const foreign = await addListener();
  const post = (json: object) =>
    switchboard.wire.send('/api/v1/targets', {
      method: 'POST',
      headers: [['authorization', `Bearer ${secret}`]],
      json: { kind: 'listener', attach: true, ...json },
    });
  for (const n of [1, 2, 3, 4, 5]) expect((await post({ name: `own ${n}` })).status).toBe(201);
  const changed = await post({ name: 'own 1', events: ['deal.*'] });
  expect([changed.status, changed.json]).toMatchObject([200, { name: 'own 1', events: ['deal.*'] }]);
  expect(changed.json).not.toHaveProperty('secret');
  const answers = [
    await post({ name: 'own 6' }),
    await post({ name: foreign.name }),
    await post({ kind: 'http', attach: false, name: 'own', url: 'https://example.com' }),
  ];
  expect(answers.map(({ status, json }) => [status, (json as { code: string }).code])).toEqual([
    [409, 'too_many_listeners'],
    [403, 'scope_missing'],
    [403, 'scope_missing'],
  ]);
  expect((await connect(foreign, {}, secret)).rejection).toBe('scope_missing');
  expect((await connect(changed.json as TargetCreated, {}, secret)).ready).not.toBeNull();
});

it('an ephemeral one is removed when its process leaves, or a minute after its connection was lost', async () => {
  const left = await addListener({ ephemeral: true });
  (await connect(left)).close();
  await until('it is removed', () => isRemoved(left));
  const lost = await addListener({ ephemeral: true });
  (await connect(lost)).lose();
  await until('it is offline', async () => (await stateOf(lost)) === 'offline');
  await until('it is removed', () => {
    switchboard.clock.move(10_000);
    return isRemoved(lost);
  });
});
