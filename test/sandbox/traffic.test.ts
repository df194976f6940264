import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { TimerClock } from './timer-clock';
import { readAnswer } from './read-answer';
import { type Receiver, startReceiver } from './receiver';
import { turn } from './turn-switches';

const ALL_EVENTS = `deal.created deal.updated deal.status_changed deal.deleted contact.created contact.updated
  task.created task.completed scenario.executed agent.triggered`.split(/\s+/);

/** Events that happen by themselves, at a rate that can be set while running. */
let clock: TimerClock;
let sandbox: Sandbox;
let receiver: Receiver;
let webhook: string;

const deliveries = z.object({ data: z.array(z.unknown()) });

beforeEach(async () => {
  clock = new TimerClock();
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
  webhook = await client.register(token, { url: receiver.url, events: ALL_EVENTS });
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
  const begun = await fetch(`${sandbox.baseUrl}/panel/webhooks/${webhook}/deliveries`);
  expect((await readAnswer(begun, deliveries)).data).toHaveLength(20);
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
  expect(() => sandbox.setRate(-1)).toThrow('The rate must be 0 or more');
});

const seeded = (): SandboxOptions['random'] => {
  let draws = 0;
  return (size) => createHash('sha512').update(`draw ${draws++}`).digest().subarray(0, size);
};
const traffic = (changes: object): Promise<{ status: number; body: unknown }> =>
  turn(sandbox, 'traffic', changes);

describe('over HTTP', () => {
  test('the rate is read and set while running', async () => {
    await start();
    const set = await traffic({ events_per_second: 7 });
    const all = { events_per_second: 7, is_paused: false, burst_events: 0, burst_every_seconds: 60 };
    expect(set).toEqual({ status: 200, body: all });
    expect(await (await fetch(`${sandbox.baseUrl}/panel/traffic`)).json()).toEqual(all);
    clock.move(1_000);
    await receiver.untilReceived(7);
  });

  test('a faulty setting is refused with every fault named, and nothing is changed', async () => {
    await start();
    const wrong = { events_per_second: -1, burst_events: 0.5, is_paused: 'no', burst: 10_001 };
    expect(await traffic(wrong)).toMatchObject({
      status: 422,
      body: {
        errors: [
          { field: 'events_per_second' },
          { field: 'is_paused' },
          { field: 'burst_events' },
          { field: 'burst' },
        ],
      },
    });
    expect((await traffic({ speed: 1 })).status).toBe(422);
    clock.move(60_000);
    expect(receiver.received).toEqual([]);
  });

  test('a pause stops rate and bursts, and both go on after it', async () => {
    await start(10);
    await traffic({ is_paused: true, burst_events: 5, burst_every_seconds: 1 });
    clock.move(60_000);
    expect(receiver.received).toEqual([]);
    await traffic({ is_paused: false });
    clock.move(1_000);
    await receiver.untilReceived(15);
    expect(receiver.received).toHaveLength(15);
  });

  test('a burst comes at once, paused or not', async () => {
    await start();
    await traffic({ is_paused: true, burst: 300 });
    await receiver.untilReceived(300);
    clock.move(60_000);
    expect(receiver.received).toHaveLength(300);
  });

  test('bursts come again and again on top of the rate, until they are turned off', async () => {
    await start(1);
    await traffic({ burst_events: 20, burst_every_seconds: 4 });
    for (const count of [2, 24, 26, 48]) {
      clock.move(2_000);
      await receiver.untilReceived(count);
      expect(receiver.received).toHaveLength(count);
    }
    await traffic({ burst_events: 0 });
    clock.move(4_000);
    await receiver.untilReceived(52);
    clock.move(900);
    expect(receiver.received).toHaveLength(52);
  });
});

test('all ten events of the document happen in time', async () => {
  await start(200, seeded());
  clock.move(1_000);
  await receiver.untilReceived(200);
  expect(new Set(receiver.notifications().map(({ event }) => event)).size).toBe(10);
});

/** What is told of each deal, in the order in which it happened. */
async function storiesOf(events: number): Promise<string[][]> {
  await start(20, seeded());
  for (let count = 40; count <= events; count += 40) {
    clock.move(2_000); // two of these are less than an attempt may take
    await receiver.untilReceived(count);
  }
  // The order in which requests arrive is the network's; that of the event is its timestamp.
  const told = receiver.notifications().toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  const stories = new Map<unknown, string[]>();
  for (const { event, data } of told) {
    const deal = data['deal_id'] ?? (event.startsWith('deal.') ? data['id'] : undefined);
    if (deal !== undefined) stories.set(deal, [...(stories.get(deal) ?? []), event]);
  }
  return [...stories.values()];
}

describe('the rhythm of a sales floor', () => {
  test('a new deal gets a task, and what is done about a deal moves it on', async () => {
    const stories = await storiesOf(800);
    const opened = stories.filter((story) => story[0] === 'deal.created');
    expect(opened.length).toBeGreaterThan(30);
    const followed = opened.filter((story) => story.includes('task.created'));
    expect(followed.length / opened.length).toBeGreaterThan(0.9);
    const pairs = stories.flatMap((story) => story.map((event, at) => `${event}, ${story[at + 1]}`));
    const done = pairs.filter((pair) => pair.startsWith('task.completed, '));
    const moved = done.filter((pair) => pair.endsWith(', deal.status_changed'));
    expect(moved.length / done.length).toBeGreaterThan(0.5);
  });

  test('no deal changes before it was created or after it was deleted', async () => {
    const stories = await storiesOf(800);
    const ofDeals = stories.map((story) => story.filter((event) => event.startsWith('deal.')));
    expect(ofDeals.flat()).toContain('deal.deleted');
    for (const story of ofDeals) {
      expect(story.slice(1)).not.toContain('deal.created');
      expect(story.slice(0, -1)).not.toContain('deal.deleted');
    }
  });
});

test('hundreds a second are held: all that happened is delivered, on time', async () => {
  sandbox = await startSandbox({ consent: 'grant' });
  const client = new Client(sandbox);
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, events: ALL_EVENTS });
  const began = Date.now();
  await traffic({ events_per_second: 400 });
  await receiver.untilReceived(800);
  await traffic({ is_paused: true });
  const seconds = (Date.now() - began) / 1_000;
  expect(seconds).toBeGreaterThan(1.9);
  expect(seconds).toBeLessThan(6);
});
