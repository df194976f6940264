import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseResponse } from './parse-response';
import { until } from '../support/until';
import { client, clock, receiver, sandbox, tokens, useConnectedSandbox } from './connected-sandbox';

/** Attempts, time-outs and retries of notifications (document, 6.3, 7 and 8). */
useConnectedSandbox();

let token: string;
let webhook: string;

const deliveries = z.object({
  data: z.array(
    z.object({
      state: z.string(),
      attempts: z.array(
        z.object({
          number: z.number(),
          at: z.string(),
          durationMs: z.number(),
          outcome: z.looseObject({ kind: z.string() }),
        }),
      ),
    }),
  ),
});
type Delivery = z.infer<typeof deliveries>['data'][number];

beforeEach(async () => {
  token = tokens.access_token;
  webhook = await client.register(token, { url: receiver.url });
});

async function latestDelivery(id = webhook): Promise<Delivery> {
  const response = await fetch(`${sandbox.baseUrl}/panel/webhooks/${id}/deliveries`);
  const [latest] = (await parseResponse(response, deliveries)).data;
  if (!latest) throw new Error('There is no delivery.');
  return latest;
}

const untilDelivery = (state: string): Promise<void> =>
  until(`a delivery that is ${state}`, async () => (await latestDelivery()).state === state);

const untilAttempts = (count: number): Promise<void> =>
  until(`${count} attempts`, async () => (await latestDelivery()).attempts.length === count);

test('a 200 ends the delivery after one attempt', async () => {
  sandbox.emit('deal.created');
  await untilDelivery('delivered');
  clock.move(60_000);
  expect(clock.pendingTimers).toBe(0);
  expect(receiver.received).toHaveLength(1);
});

test('three attempts are made: immediately, 5 s after the first failure, 25 s after the second', async () => {
  receiver.respondWith(500);
  sandbox.emit('deal.created');
  await untilDelivery('retrying');
  clock.move(4_999);
  expect(clock.pendingTimers).toBe(1); // that of the retry
  clock.move(1);
  await untilAttempts(2);
  await untilDelivery('retrying');
  clock.move(24_999);
  expect(clock.pendingTimers).toBe(1);
  clock.move(1);
  await untilDelivery('failed');
  clock.move(3_600_000);
  expect(clock.pendingTimers).toBe(0);

  const { attempts } = await latestDelivery();
  const firstAt = Date.parse(attempts[0]?.at ?? '');
  expect(attempts.map(({ at }) => Date.parse(at) - firstAt)).toEqual([0, 5_000, 30_000]);
  expect(attempts.map(({ outcome }) => outcome.status)).toEqual([500, 500, 500]);
  expect(receiver.received).toHaveLength(3);
});

test('a retry has the same bytes and the same signature', async () => {
  receiver.respondWith(503);
  sandbox.emit('deal.created');
  await untilDelivery('retrying');
  receiver.respondWith(200);
  clock.move(5_000);
  await untilDelivery('delivered');
  const [first, second] = receiver.received;
  expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  expect(second?.headers['x-copilot-signature']).toBe(first?.headers['x-copilot-signature']);
});

test.each([[201], [202], [204], [301], [400], [401], [404], [410], [429], [500], [503]])(
  'only 200 is a success: %d is retried, and redirects are not followed',
  async (status) => {
    receiver.respondWith((response) => response.writeHead(status, { location: '/elsewhere' }).end());
    sandbox.emit('deal.created');
    await untilDelivery('retrying');
    expect((await latestDelivery()).attempts[0]?.outcome).toEqual({ kind: 'response', status });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hooks']);
  },
);

test.each<[string, (response: ServerResponse) => void]>([
  ['no response', () => undefined],
  ['a body that never ends', (response) => void response.writeHead(200).write('{')],
])('an incomplete response within 5 seconds is a timeout and is retried: %s', async (_, response) => {
  receiver.respondWith(response);
  sandbox.emit('deal.created');
  await receiver.untilReceived(1);
  clock.move(4_999);
  expect((await latestDelivery()).attempts).toEqual([]);
  clock.move(1);
  await untilDelivery('retrying');
  expect((await latestDelivery()).attempts[0]).toMatchObject({
    durationMs: 5_000,
    outcome: { kind: 'timeout' },
  });
  receiver.respondWith(200);
  clock.move(5_000);
  await untilDelivery('delivered');
  expect(receiver.received).toHaveLength(2);
});

test('a refused or closed connection is retried', async () => {
  receiver.respondWith((response) => response.destroy());
  sandbox.emit('deal.created');
  await untilDelivery('retrying');
  await receiver.close();
  clock.move(5_000);
  await untilAttempts(2);
  const { attempts } = await latestDelivery();
  expect(attempts.map(({ outcome }) => outcome)).toEqual([
    { kind: 'unreachable', code: 'UND_ERR_SOCKET' },
    { kind: 'unreachable', code: 'ECONNREFUSED' },
  ]);
});

test.each([
  ['disabled', () => client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: false })],
  [
    'disabled and enabled again',
    async () => {
      await client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: false });
      return client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: true });
    },
  ],
])('retries end when the webhook is %s', async (_, change) => {
  receiver.respondWith(500);
  sandbox.emit('deal.created');
  await untilDelivery('retrying');
  expect((await change()).status).toBe(200);
  clock.move(5_000);
  await untilDelivery('cancelled');
  expect(receiver.received).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});

test('retries end when the webhook is deleted', async () => {
  receiver.respondWith(500);
  sandbox.emit('deal.created');
  await untilDelivery('retrying');
  const otherWebhook = await client.register(token, { url: receiver.url, events: ['task.created'] });
  await client.api('DELETE', `/v1/webhooks/${webhook}`, token);
  clock.move(5_000);
  sandbox.emit('task.created'); // a request later than any that the move could have caused
  await until(
    'the later notification',
    async () => (await latestDelivery(otherWebhook)).attempts.length === 1,
  );
  expect(receiver.notifications().map(({ event }) => event)).toEqual(['deal.created', 'task.created']);
});

test('retries continue when the webhook no longer lists the event', async () => {
  receiver.respondWith(500);
  sandbox.emit('deal.created');
  await untilDelivery('retrying');
  await client.api('PATCH', `/v1/webhooks/${webhook}`, token, { events: ['task.created'] });
  receiver.respondWith(200);
  clock.move(5_000);
  await untilDelivery('delivered');
  expect(receiver.notifications().map(({ event }) => event)).toEqual(['deal.created', 'deal.created']);
});

test('closing aborts attempts in progress and cancels retries', async () => {
  receiver.respondWith(() => undefined);
  sandbox.emit('deal.created');
  await receiver.untilReceived(1);
  await sandbox.close();
  expect(clock.pendingTimers).toBe(0);
});
