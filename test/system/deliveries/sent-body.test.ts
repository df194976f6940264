import type { DeliveryDetail } from '../../../src/contract/delivery';
import { problem } from '../../../src/contract/problem';
import type { Hit, RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { patch, startAgain, startReceiver, switchboard, useHub } from '../targets/hub';

useHub();

const DAY_MS = 86_400_000;
const expression = '{"id": data.id, "at": $now(), "for": $target.name}';

let receiver: RecordingTarget;

beforeEach(async () => {
  receiver = await startReceiver();
});

const bodyOf = async (id: string, attempt?: number) => {
  const { status, text, headers } = await switchboard.ask(
    `/deliveries/${id}/body${attempt === undefined ? '' : `?attempt=${attempt}`}`,
  );
  return { status, text, type: headers['content-type'] };
};
const sentOf = (event: string) => receiver.of(event).map(({ body }: Hit) => body.toString());
const finished = ({ state }: DeliveryDetail) => state === 'succeeded';
const replay = (event: string) => switchboard.ask(`/events/${event}/replay`, { method: 'POST', json: {} });
const latest = async (event: string, count: number): Promise<DeliveryDetail> => {
  await until('the replay is delivered', async () => {
    const { deliveries } = await switchboard.event(event);
    return deliveries.length === count && deliveries.every(finished);
  });
  const { deliveries } = await switchboard.event(event);
  return deliveries.at(-1)!;
};

it('retries and replays send the same bytes, which can be made again whatever has changed since', async () => {
  receiver.respondWith(500);
  const { id } = await switchboard.addTarget('made again', receiver.url, ['again'], {
    transform: { expression },
    policy: { retry: { delays_s: [30] }, jitter: 0 },
  });
  const event = await switchboard.emit('again', { id: 1 });
  const failed = await switchboard.deliveryOnce(event, id, ({ attempts }) => attempts.length === 1);
  receiver.respondWith(200);
  switchboard.clock.move(Date.parse(failed.due_at!) - switchboard.clock.now());
  await switchboard.deliveryOnce(event, id, finished);
  switchboard.clock.move(DAY_MS);
  await replay(event);
  const replayed = await latest(event, 2);
  const [first, ...others] = sentOf(event);
  expect(others).toEqual([first, first]);

  await patch(id, { transform: { expression: 'data.id', content_type: 'text/plain' } });
  await replay(event);
  const changed = await latest(event, 3);
  await patch(id, { name: 'renamed', transform: null });
  await replay(event);
  const plain = await latest(event, 4);
  await switchboard.removeTarget({ id });
  await switchboard.stop();
  await startAgain();
  for (const [delivery, attempt] of [
    [failed.id, 1],
    [failed.id, 2],
    [failed.id, undefined],
    [replayed.id, 1],
  ] as const)
    expect(await bodyOf(delivery, attempt)).toEqual({ status: 200, text: first, type: 'application/json' });
  expect(await bodyOf(changed.id)).toEqual({ status: 200, text: '1', type: 'text/plain' });
  expect((await bodyOf(plain.id)).text).toBe(sentOf(event).at(-1));
});

it('another name of the target is another version if the expression reads it', async () => {
  const { id } = await switchboard.addTarget('before', receiver.url, ['named'], {
    transform: { expression },
  });
  const event = await switchboard.emit('named', { id: 1 });
  const { id: delivery } = await switchboard.deliveryOnce(event, id, finished);
  expect((await patch(id, { name: 'after' })).transform!.version).toBe(2);
  expect((await bodyOf(delivery)).text).toBe(sentOf(event)[0]);
  expect((await patch(id, { transform: { expression: 'data.id' } })).transform!.version).toBe(3);
  expect((await patch(id, { name: 'last' })).transform!.version).toBe(3);
});

it('without a body that was sent, the answer says why', async () => {
  const { id } = await switchboard.addTarget('failing', receiver.url, ['failing'], {
    transform: { expression: 'data.id + "a"' },
  });
  const event = await switchboard.emit('failing', { id: 1 });
  const { id: delivery } = await switchboard.deliveryOnce(event, id, ({ state }) => state === 'dead');
  for (const [path, status, code] of [
    [`${delivery}/body`, 404, 'body_unknown'],
    [`${delivery}/body?attempt=2`, 404, 'body_unknown'],
    [`dlv_${'0'.repeat(26)}/body`, 404, 'delivery_unknown'],
  ] as const) {
    const answer = await switchboard.ask(`/deliveries/${path}`);
    expect([answer.status, problem.parse(answer.json).code]).toEqual([status, code]);
  }
});
