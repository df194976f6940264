import { createHash } from 'node:crypto';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';
import { Client } from './client';
import { MovedClock } from './moved-clock';
import { type Receiver, startReceiver } from './receiver';

const ALL_EVENTS = `deal.created deal.updated deal.status_changed deal.deleted contact.created contact.updated
  task.created task.completed scenario.executed agent.triggered`.split(/\s+/);

/** Events that happen by themselves, at a rate that can be set while running. */
let clock: MovedClock;
let sandbox: Sandbox;
let receiver: Receiver;

beforeEach(async () => {
  clock = new MovedClock();
  receiver = await startReceiver();
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

async function start(eventsPerSecond = 0, random?: SandboxOptions['random']): Promise<void> {
  sandbox = await startSandbox({ consent: 'grant', clock, eventsPerSecond, ...(random && { random }) });
  const client = new Client(sandbox);
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, events: ALL_EVENTS });
}

test('none happens unless a rate is set', async () => {
  await start();
  clock.move(3_600_000);
  expect(receiver.received).toEqual([]);
});

test.each([
  [0.5, 4_000, 2],
  [3, 2_000, 6],
  [40, 1_000, 40],
  [1_000, 200, 200],
])('%d events a second: after %d ms there are %d', async (rate, ms, count) => {
  await start(rate);
  clock.move(ms);
  await receiver.untilReceived(count);
  expect(receiver.received).toHaveLength(count);
});

test('what a standstill of the machine left out is not made up for at once', async () => {
  await start(20);
  clock.jump(3_600_000);
  await receiver.untilReceived(20);
  clock.move(100);
  await receiver.untilReceived(22);
  expect(receiver.received).toHaveLength(22);
});

test('the rate can be changed and stopped while running', async () => {
  await start(10);
  clock.move(1_000);
  sandbox.setRate(100);
  clock.move(1_000);
  sandbox.setRate(0);
  await receiver.untilReceived(110);
  clock.move(60_000);
  expect(receiver.received).toHaveLength(110);
  expect(() => sandbox.setRate(-1)).toThrow('Give 0 or more');
});

test('all ten events of the document happen in time', async () => {
  let draws = 0;
  await start(200, (size) => createHash('sha512').update(`draw ${draws++}`).digest().subarray(0, size));
  clock.move(1_000);
  await receiver.untilReceived(200);
  expect(new Set(receiver.notifications().map(({ event }) => event)).size).toBe(10);
});
