import { erasure } from '../../../src/contract/erasure';
import type { DeliveryDetail } from '../../../src/contract/delivery';
import { transformPreview, transformTestResults } from '../../../src/contract/transform';
import { target as targetSchema } from '../../../src/contract/target';
import { until } from '../../support/until';
import { receiver, startAgain, switchboard, useHub } from './hub';

useHub();

const DAY_MS = 86_400_000;
const expression = '{"from": $previous.data.stage, "to": data.stage}';
const finished = ({ state }: DeliveryDetail) => state === 'succeeded';

const post = { method: 'POST' } as const;
const preview = (event: string) =>
  switchboard.read(transformPreview, '/targets/preview/transform', {
    ...post,
    json: { expression, event_id: event },
  });
const bodiesOf = (event: string) => receiver.of(event).map(({ body }) => body.toString());

it('a retry and a replay are compared with the same event as the first attempt, until that is erased', async () => {
  receiver.respondWith((response, { body }) => response.writeHead(500).end(body));
  const { id } = await switchboard.addTarget('compared', receiver.url, ['lead.moved'], {
    transform: { expression },
    policy: { retry: { delays_s: [30] }, jitter: 0 },
  });
  const before = await switchboard.emit('lead.changed', { id: 1, stage: 'new' });
  const event = await switchboard.emit('lead.moved', { id: 1, stage: 'won' });
  const failed = await switchboard.deliveryOnce(event, id, ({ attempts }) => attempts.length === 1);
  receiver.respondWith(200);
  await switchboard.emit('lead.changed', { id: 1, stage: 'lost' });
  await switchboard.stop();
  await startAgain();
  switchboard.clock.move(Date.parse(failed.due_at!) - switchboard.clock.now());
  await switchboard.deliveryOnce(event, id, finished);
  switchboard.clock.move(DAY_MS);
  const replay = () => switchboard.ask(`/events/${event}/replay`, { ...post, json: {} });
  await replay();
  await until('the replay is delivered', () => bodiesOf(event).length === 3);
  expect(new Set(bodiesOf(event))).toEqual(new Set(['{"from":"new","to":"won"}']));
  expect((await switchboard.ask(`/deliveries/${failed.id}/body?attempt=1`)).text).toBe(bodiesOf(event)[0]);

  const { data } = await preview(event);
  expect(data).toMatchObject([
    { previous_event_id: before, previous: { data: { stage: 'new' } }, output: { from: 'new', to: 'won' } },
  ]);
  const made = {
    name: 'won',
    input: { data: { stage: 'won' } },
    previous: data[0]!.previous,
    previous_event_id: before,
    expected: data[0]!.output,
  };
  await switchboard.ask(`/targets/${id}`, {
    method: 'PATCH',
    json: {
      transform: { expression, tests: [made, { ...made, name: 'own', previous_event_id: undefined }] },
    },
  });

  const { id: erased } = await switchboard.read(erasure, '/erasures', {
    ...post,
    json: { event_id: before, reason: 'asked for', until_seq: 1_000 },
  });
  await until('it is erased', async () => {
    const { state } = await switchboard.read(erasure, `/erasures/${erased}`);
    return state !== 'erasing';
  });
  const { transform } = await switchboard.read(targetSchema, `/targets/${id}`);
  expect(transform!.tests!.map(({ name }) => name)).toEqual(['own']);
  const excerpt = async () => (await switchboard.delivery(failed.id)).attempts[0]!.excerpt;
  expect([failed.attempts[0]!.excerpt, await excerpt()]).toEqual([expect.stringContaining('new'), null]);
  await replay();
  await until('the replay fails', async () => (await switchboard.event(event)).status === 'dead');
  expect(bodiesOf(event)).toHaveLength(3);
  const { json } = await switchboard.ask(`/deliveries/${failed.id}/body?attempt=1`);
  expect(json).toMatchObject({
    code: 'body_unknown',
    detail: expect.stringContaining('previous_unavailable'),
  });
});

it('a test says what an event is compared with: a payload, null for a new entity, or nothing', async () => {
  const test = { name: 'test', input: { data: { stage: 'won' } }, expected: { to: 'won' } };
  const tests = [
    { ...test, previous: { data: { stage: 'new' } }, expected: { from: 'new', to: 'won' } },
    { ...test, previous: null },
    test,
  ];
  const { id } = await switchboard.addTarget('tested', receiver.url, ['never.tested'], {
    transform: { expression, tests },
  });
  const run = (of: string) =>
    switchboard.read(transformTestResults, `/targets/${id}/transform/test`, {
      ...post,
      json: { expression: of },
    });
  expect((await run(expression)).failed).toBe(0);
  const outputs = (await run('[$previous = null, $exists($previous)]')).data.map(({ output }) => output);
  expect(outputs).toEqual([
    [false, true],
    [true, true],
    [false, false],
  ]);
});

it('a test request with an event is made as its delivery was, a sample without a state before', async () => {
  const { id } = await switchboard.addTarget('asked', receiver.url, ['never.asked'], {
    transform: { expression },
  });
  await switchboard.emit('lead.changed', { id: 2, stage: 'new' });
  const event = await switchboard.emit('lead.changed', { id: 2, stage: 'won' });
  const sent = async (json: object) => {
    await switchboard.ask(`/targets/${id}/test`, { ...post, json });
    return receiver.hits.at(-1)!.body.toString();
  };
  expect(await sent({ event_id: event })).toBe('{"from":"new","to":"won"}');
  expect(await sent({ data: { stage: 'won' } })).toBe('{"to":"won"}');
});
