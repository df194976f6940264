import { Webhook } from 'standardwebhooks';
import type { Delivery } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
import { target as targetSchema } from '../../../src/contract/target';
import { testOutcome } from '../../../src/contract/target-test';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { arrived, patch, receiver, rejected, startAgain, switchboard, useHub } from './hub';

useHub();

const RENAMED = '{"deal": data.id, "type": $event.type}';
const FAILING = 'data.price + 1';
/** Of the test of order. */
const EVENTS = 24;
const ENTITIES = 3;

const add = (name: string, transform: object, more: object = {}) =>
  switchboard.addTarget(name, receiver.url, [name], { transform, ...more });
const shown = (id: string) => switchboard.read(targetSchema, `/targets/${id}`);
const deliveriesOf = async (id: string) =>
  ((await switchboard.ask(`/deliveries?target=${id}&limit=200`)).json as Page<Delivery>).data;
const inState = async (id: string, state: string) =>
  (await deliveriesOf(id)).filter((one) => one.state === state).length;
const bodies = (type: string) =>
  receiver.hits
    .filter(({ headers }) => headers['switchboard-event-type'] === type)
    .map(({ body }) => body.toString());

it('a target is sent what its expression makes of an event, signed, with its version', async () => {
  const made = await add('renamed', { expression: RENAMED });
  expect(made.transform).toEqual({
    language: 'jsonata',
    expression: RENAMED,
    content_type: 'application/json',
    on_error: 'dead',
    tests: [],
    version: 1,
  });
  await switchboard.stop();
  await startAgain();
  const id = await switchboard.emit('renamed', { id: 42, secret: 'not for others' });
  const { headers, body } = await arrived(id);
  expect(body.toString()).toBe('{"deal":42,"type":"renamed"}');
  expect(new Webhook(made.secret).verify(body, headers as Record<string, string>)).toEqual({
    deal: 42,
    type: 'renamed',
  });
  expect(headers).toMatchObject({
    'webhook-id': id,
    'content-type': 'application/json',
    'switchboard-transform': '1',
  });
  expect(headers).not.toHaveProperty(SIGNATURE_HEADER);
  expect((await switchboard.ask(`/events/${id}/body`)).text).toContain('"secret":"not for others"');
  const delivery = await switchboard.deliveryOnce(id, made.id, ({ state }) => state === 'succeeded');
  expect(delivery.attempts).toMatchObject([{ transform: 1, error: null }]);
  const test = await switchboard.read(testOutcome, `/targets/${made.id}/test`, {
    method: 'POST',
    json: { event_id: id },
  });
  expect(test.delivered).toBe(true);
  expect(receiver.hits.at(-1)!.body.toString()).toBe('{"deal":42,"type":"renamed"}');

  expect(
    (await patch(made.id, { transform: { expression: RENAMED, on_error: 'pause' } })).transform,
  ).toMatchObject({
    on_error: 'pause',
    version: 1,
  });
  await patch(made.id, { transform: { expression: 'data.id', content_type: 'text/plain' } });
  const second = await arrived(await switchboard.emit('renamed', { id: 43 }));
  expect(second.body.toString()).toBe('43');
  expect(second.headers).toMatchObject({ 'content-type': 'text/plain', 'switchboard-transform': '2' });
  await patch(made.id, { transform: null });
  const raw = await arrived(await switchboard.emit('renamed', { id: 44 }));
  expect(raw.headers).not.toHaveProperty('switchboard-transform');
  expect(raw.headers).toHaveProperty(SIGNATURE_HEADER);
  expect((await patch(made.id, { transform: { expression: RENAMED } })).transform!.version).toBe(3);
  await switchboard.removeTarget(made);
});

it('an event whose transformation fails is a dead letter at once; after a correction a retry delivers it', async () => {
  const { id } = await add('priced', { expression: FAILING });
  for (const price of [1, 'two', 3, 'four']) await switchboard.emit('priced', { price });
  await until(
    'all are finished',
    async () => (await inState(id, 'dead')) === 2 && (await inState(id, 'succeeded')) === 2,
  );
  const [letter] = (await deliveriesOf(id)).filter(({ state }) => state === 'dead');
  expect(letter).toMatchObject({
    last_error: 'transform_failed',
    note: 'Transformation failed: T2001 at character 12.',
    attempt_count: 1,
  });
  expect(await shown(id)).toMatchObject({ breaker: null, health: { states: ['active'], failed: 0 } });
  await patch(id, { transform: { expression: '$string(data.price)' } });
  const job = await switchboard.ask('/deliveries/retry', {
    method: 'POST',
    json: { target: id, error: 'transform_failed' },
  });
  expect(job.status).toBe(202);
  await until('the two are delivered', async () => (await inState(id, 'succeeded')) === 4);
  expect(bodies('priced').toSorted()).toEqual(['"four"', '"two"', '2', '4']);
});

const apply = (targets: object[]) =>
  switchboard.ask('/manifests/transforms/apply', { method: 'POST', json: { targets } });

it.each([
  ['dead', 5, 'Its transformation failed with 5 different events in a row'],
  ['pause', 0, 'Its transformation failed: T2001 at character 12.'],
])(
  'with on_error %s, an expression that always fails makes %d dead letters, then its target is paused; the rest stays in order',
  async (onError, dead, reason) => {
    const type = `ordered.${onError}`;
    const { id } = await add(
      type,
      { expression: FAILING, on_error: onError },
      { policy: { ordering: 'entity', concurrency: 8 } },
    );
    for (let n = 0; n < EVENTS; n += 1) await switchboard.emit(type, { price: 'none', id: n % ENTITIES, n });
    await until('it is paused', async () => (await shown(id)).paused !== null);
    expect((await shown(id)).paused!.reason).toContain(reason);
    await until('nothing is in flight', async () => (await inState(id, 'in_flight')) === 0);
    expect(await inState(id, 'dead')).toBe(dead);
    const inProgress = new Set<number>();
    let overlaps = 0;
    receiver.respondWith((response, { body }) => {
      const { entity } = JSON.parse(body.toString()) as { entity: number };
      if (inProgress.has(entity)) overlaps += 1;
      inProgress.add(entity);
      setTimeout(() => {
        inProgress.delete(entity);
        response.writeHead(200).end();
      });
    });
    await patch(id, { transform: { expression: '{"entity": data.id, "n": data.n}', on_error: onError } });
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    await until('the others are delivered', async () => (await inState(id, 'succeeded')) === EVENTS - dead);
    receiver.respondWith(200);
    expect(overlaps).toBe(0);
    const sent = bodies(type).map((body) => JSON.parse(body) as { entity: number; n: number });
    expect(sent).toHaveLength(EVENTS - dead);
    for (let entity = 0; entity < ENTITIES; entity += 1) {
      const numbers = sent.filter((one) => one.entity === entity).map(({ n }) => n);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  },
);

it.each([
  [{ transform: { expression: 'data.(' } }, 'target_invalid', ['transform.expression']],
  [{ transform: { expression: '1' }, format: 'text' }, 'target_invalid', ['transform']],
  [{ transform: { expression: '1', version: 2 } }, 'invalid_request', ['transform']],
])('an expression that cannot be used is refused: %j', async (json, code, paths) => {
  expect(await rejected(json)).toMatchObject({ code, paths });
});

it('a manifest has the expression of a target, and an export too', async () => {
  const entry = { name: 'described', url: receiver.url, transform: { expression: RENAMED } };
  expect(await apply([{ ...entry, transform: { expression: '(' } }])).toMatchObject({
    status: 422,
    json: { errors: [{ path: 'targets.0.transform.expression' }] },
  });
  expect((await apply([entry])).json).toMatchObject({ changes: [{ action: 'create' }] });
  expect((await apply([entry])).json).toMatchObject({ changes: [{ action: 'none' }] });
  expect((await apply([{ ...entry, transform: { expression: '1' } }])).json).toMatchObject({
    changes: [{ action: 'change', fields: [{ path: 'transform' }] }],
  });
  const { json } = await switchboard.ask('/manifests/export?manifest=transforms');
  expect(json).toMatchObject({ targets: [{ transform: { expression: '1', on_error: 'dead' } }] });
});
