import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { TimerClock } from '../support/timer-clock';
import { parseResponse } from './parse-response';
import { parseNotification, type Receiver, startReceiver } from './receiver';
import { until } from '../support/until';
import { patchSandbox } from './patch-sandbox';

const ALL_EVENTS = `deal.created deal.updated deal.status_changed deal.deleted contact.created contact.updated
  task.created task.completed scenario.executed agent.triggered`.split(/\s+/);

/** Generated events, whose rate can be changed at run time. */
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

test('there are no events unless a rate is set', async () => {
  await start();
  clock.move(3_600_000);
  expect(receiver.received).toEqual([]);
});

test.each([
  [0.5, 4_000, 2],
  [3, 2_000, 6],
  [40, 1_000, 40],
  [1_000, 200, 200],
])('%d events per second: in %d ms there are %d', async (rate, ms, count) => {
  await start(rate);
  clock.move(ms);
  await receiver.untilReceived(count);
  expect(receiver.received).toHaveLength(count);
});

test('events missed during a suspend are not all sent at once', async () => {
  await start(20);
  clock.jump(3_600_000);
  const begun = await fetch(`${sandbox.baseUrl}/panel/webhooks/${webhook}/deliveries`);
  expect((await parseResponse(begun, deliveries)).data).toHaveLength(20);
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
  patchSandbox(sandbox, 'traffic', changes);

describe("the panel's JSON route", () => {
  test('reads and sets the rate at run time', async () => {
    await start();
    const set = await traffic({ events_per_second: 7 });
    const all = { events_per_second: 7, is_paused: false, burst_events: 0, burst_every_seconds: 60 };
    expect(set).toEqual({ status: 200, body: all });
    expect(await (await fetch(`${sandbox.baseUrl}/panel/traffic`)).json()).toEqual(all);
    clock.move(1_000);
    await receiver.untilReceived(7);
  });

  test('rejects invalid settings with all errors listed, and changes nothing', async () => {
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

  test('pauses and resumes rate and bursts', async () => {
    await start(10);
    await traffic({ is_paused: true, burst_events: 5, burst_every_seconds: 1 });
    clock.move(60_000);
    expect(receiver.received).toEqual([]);
    await traffic({ is_paused: false });
    clock.move(1_000);
    await receiver.untilReceived(15);
    expect(receiver.received).toHaveLength(15);
  });

  test('sends a burst immediately, paused or not', async () => {
    await start();
    await traffic({ is_paused: true, burst: 300 });
    await receiver.untilReceived(300);
    clock.move(60_000);
    expect(receiver.received).toHaveLength(300);
  });

  test('sends recurring bursts in addition to the rate until they are turned off', async () => {
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

test('all ten event types occur', async () => {
  await start(200, seeded());
  clock.move(1_000);
  await receiver.untilReceived(200);
  expect(new Set(receiver.notifications().map(({ event }) => event)).size).toBe(10);
});

/** Without retries: on a busy machine, the sandbox reads a response only after its clock has passed the time limit. */
const distinct = () =>
  [...new Set(receiver.received.map(({ body }) => body.toString()))].map((text) => parseNotification(text));

/** The event types of each deal in order. */
async function eventsByDeal(events: number): Promise<string[][]> {
  await start(20, seeded());
  for (let count = 40; count <= events; count += 40) {
    clock.move(2_000);
    await until(`${count} events`, () => distinct().length >= count);
  }
  // Requests may arrive out of order, so sort by timestamp.
  const notifications = distinct().toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  const histories = new Map<unknown, string[]>();
  for (const { event, data } of notifications) {
    const deal = data['deal_id'] ?? (event.startsWith('deal.') ? data['id'] : undefined);
    if (deal !== undefined) histories.set(deal, [...(histories.get(deal) ?? []), event]);
  }
  return [...histories.values()];
}

describe('the simulated work', () => {
  test('creates a task for each new deal, and completed tasks advance their deals', async () => {
    const histories = await eventsByDeal(800);
    const opened = histories.filter((history) => history[0] === 'deal.created');
    expect(opened.length).toBeGreaterThan(30);
    const followed = opened.filter((history) => history.includes('task.created'));
    expect(followed.length / opened.length).toBeGreaterThan(0.9);
    const pairs = histories.flatMap((history) => history.map((event, at) => `${event}, ${history[at + 1]}`));
    const done = pairs.filter((pair) => pair.startsWith('task.completed, '));
    const moved = done.filter((pair) => pair.endsWith(', deal.status_changed'));
    expect(moved.length / done.length).toBeGreaterThan(0.5);
  });

  test('never changes a deal before its creation or after its deletion', async () => {
    const histories = await eventsByDeal(800);
    const ofDeals = histories.map((history) => history.filter((event) => event.startsWith('deal.')));
    expect(ofDeals.flat()).toContain('deal.deleted');
    for (const history of ofDeals) {
      expect(history.slice(1)).not.toContain('deal.created');
      expect(history.slice(0, -1)).not.toContain('deal.deleted');
    }
  });
});

test('hundreds of events per second are all delivered, no sooner than the rate allows', async () => {
  sandbox = await startSandbox({ consent: 'grant' });
  const client = new Client(sandbox);
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, events: ALL_EVENTS });
  const startedAt = Date.now();
  await traffic({ events_per_second: 400 });
  await receiver.untilReceived(800);
  await traffic({ is_paused: true });
  expect((Date.now() - startedAt) / 1_000).toBeGreaterThan(1.9);
});
