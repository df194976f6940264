import { z } from 'zod';
import { until } from '../support/until';
import {
  client,
  clock,
  kill,
  panel,
  receiver,
  restart,
  sandbox,
  startAgain,
  stop,
  useSavedSandbox,
} from './saved-sandbox';

useSavedSandbox();

const deliveries = z.object({
  data: z.array(
    z.object({
      event: z.string(),
      state: z.string(),
      attempts: z.array(z.object({ number: z.number(), at: z.string() })),
      nextAttemptAt: z.string().nullable(),
    }),
  ),
});

const deliveriesOf = async (webhook: string): Promise<z.infer<typeof deliveries>['data']> =>
  (await panel(`/webhooks/${webhook}/deliveries`, deliveries)).data;

const untilLatest = (webhook: string, state: string, attempts: number): Promise<void> =>
  until(`a delivery that is ${state} after ${attempts} attempts`, async () => {
    const [latest] = await deliveriesOf(webhook);
    return latest?.state === state && latest.attempts.length === attempts;
  });

describe('a pending notification', () => {
  let webhook: string;

  beforeEach(async () => {
    const { access_token: token } = await client.connect('webhooks');
    webhook = await client.register(token, { url: receiver.url });
    receiver.respondWith(500);
    sandbox.emit('deal.created');
    await untilLatest(webhook, 'retrying', 1);
  });

  test.each([
    ['a restart', restart],
    ['a SIGKILL', async () => sandbox.saved().then(() => kill())],
  ])('is retried after the delays of the document, 6.3, across %s', async (_, again) => {
    clock.move(2_000);
    await again();
    await untilLatest(webhook, 'retrying', 1);
    clock.move(2_999);
    expect(receiver.received).toHaveLength(1);
    clock.move(1);
    await untilLatest(webhook, 'retrying', 2);
    await again();
    await untilLatest(webhook, 'retrying', 2);
    clock.move(25_000);
    await untilLatest(webhook, 'failed', 3);
    const [delivery] = await deliveriesOf(webhook);
    const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 5_000, 30_000]);
    const bodies = receiver.received.map(({ body }) => body.toString());
    expect(new Set(bodies).size).toBe(1);
  });

  test('is sent immediately if its retry became due while the sandbox was down', async () => {
    await stop(sandbox);
    clock.move(60_000);
    receiver.respondWith(200);
    await startAgain();
    await untilLatest(webhook, 'delivered', 2);
  });

  test('is sent again if closing aborted its attempt', async () => {
    receiver.respondWith(() => undefined);
    clock.move(5_000);
    await receiver.untilReceived(2);
    await stop(sandbox);
    receiver.respondWith(200);
    await startAgain();
    await untilLatest(webhook, 'delivered', 2);
    expect(receiver.received).toHaveLength(3);
  });

  test('is not retried after a restart if its webhook was disabled before', async () => {
    const { access_token: token } = await client.connect('webhooks');
    await client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: false });
    await client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: true });
    await restart();
    clock.move(60_000);
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'cancelled', nextAttemptAt: null });
    expect(receiver.received).toHaveLength(1);
  });

  test('stays in the delivery log with its attempts', async () => {
    const before = await deliveriesOf(webhook);
    await restart();
    expect(await deliveriesOf(webhook)).toEqual(before);
  });
});
