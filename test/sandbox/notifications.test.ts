import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { signBody } from '../../src/sandbox/webhooks/sign-body';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { TimerClock } from '../support/timer-clock';
import { parseResponse } from './parse-response';
import { type Receiver, startReceiver } from './receiver';

/** The document's ten event types (6.1), spelled out. */
const ALL_EVENTS = [
  'deal.created',
  'deal.updated',
  'deal.status_changed',
  'deal.deleted',
  'contact.created',
  'contact.updated',
  'task.created',
  'task.completed',
  'scenario.executed',
  'agent.triggered',
] as const;

let sandbox: Sandbox;
let receiver: Receiver;
let client: Client;
let token: string;

async function start(options: SandboxOptions = {}): Promise<void> {
  receiver = await startReceiver();
  sandbox = await startSandbox({ consent: 'grant', ...options });
  client = new Client(sandbox);
  token = (await client.connect('webhooks,deals')).access_token;
}
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

const register = (webhook: object = {}): Promise<string> =>
  client.register(token, { url: receiver.url, events: ALL_EVENTS, ...webhook });

const fixture = (name: string): Buffer => readFileSync(join(__dirname, '../fixtures/signatures', name));
const computedByOpenssl = (name: string): string => fixture(`${name}.hex`).toString().trim();

describe('a notification (document, 6.2)', () => {
  beforeEach(() => start());

  test.each(ALL_EVENTS)(
    'of %s is a POST with a JSON body of event, timestamp, webhook_id and data',
    async (event) => {
      const id = await register();
      const before = Date.now();
      sandbox.emit(event);
      await receiver.untilReceived(1);
      const [request] = receiver.received;
      const [notification] = receiver.notifications();
      expect(request).toMatchObject({ method: 'POST', path: '/hooks' });
      expect(request?.headers['content-type']).toBe('application/json');
      expect(Object.keys(notification ?? {})).toEqual(['event', 'timestamp', 'webhook_id', 'data']);
      expect(notification).toMatchObject({ event, webhook_id: id });
      expect(notification?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(notification?.timestamp ?? '')).toBeGreaterThanOrEqual(before);
    },
  );

  test('of a deal event contains exactly the deal fields of the document, 2.1', async () => {
    await register();
    for (const event of ALL_EVENTS.slice(0, 4)) sandbox.emit(event);
    await receiver.untilReceived(4);
    for (const { data } of receiver.notifications()) {
      expect(Object.keys(data).toSorted()).toEqual(
        'id,name,status_id,pipeline_id,responsible_user_id,created_at,updated_at,_links'
          .split(',')
          .toSorted(),
      );
      expect(data).toMatchObject({ _links: { self: `${sandbox.baseUrl}/v1/deals/${String(data.id)}` } });
    }
  });

  test('uses the data fields given by the caller', async () => {
    await register();
    sandbox.emit('deal.updated', { id: 42, name: 'Ünïcode ✓' });
    await receiver.untilReceived(1);
    expect(receiver.notifications()[0]?.data).toMatchObject({ id: 42, name: 'Ünïcode ✓' });
  });
});

describe('subscriptions (document, 2.2 and 6.1)', () => {
  beforeEach(() => start());

  test('a webhook receives only the events it lists', async () => {
    const id = await register({ events: ['deal.updated', 'agent.triggered'] });
    const sentTo = ALL_EVENTS.map((event) => [event, sandbox.emit(event).webhookIds] as const);
    await receiver.untilReceived(2);
    expect(sentTo.filter(([, ids]) => ids.length > 0)).toEqual([
      ['deal.updated', [id]],
      ['agent.triggered', [id]],
    ]);
    expect(
      receiver
        .notifications()
        .map(({ event }) => event)
        .toSorted(),
    ).toEqual(['agent.triggered', 'deal.updated']);
  });

  test('an inactive webhook receives nothing until it is enabled', async () => {
    const id = await register({ active: false });
    expect(sandbox.emit('deal.created').webhookIds).toEqual([]);
    await client.api('PATCH', `/v1/webhooks/${id}`, token, { active: true });
    sandbox.emit('deal.updated');
    await client.api('PATCH', `/v1/webhooks/${id}`, token, { active: false });
    expect(sandbox.emit('deal.deleted').webhookIds).toEqual([]);
    await receiver.untilReceived(1);
    expect(receiver.notifications().map(({ event }) => event)).toEqual(['deal.updated']);
  });

  test('a deleted webhook receives nothing', async () => {
    const id = await register();
    await client.api('DELETE', `/v1/webhooks/${id}`, token);
    expect(sandbox.emit('deal.created').webhookIds).toEqual([]);
  });

  test('changed events apply from the next event on', async () => {
    const id = await register({ events: ['deal.created'] });
    await client.api('PATCH', `/v1/webhooks/${id}`, token, { events: ['task.created'] });
    expect(sandbox.emit('deal.created').webhookIds).toEqual([]);
    expect(sandbox.emit('task.created').webhookIds).toEqual([id]);
    await receiver.untilReceived(1);
  });

  test('each webhook receives the event with its own id and signature, whichever application created it', async () => {
    const other = new Client(sandbox);
    const { access_token: otherToken } = await other.connect('webhooks');
    const mine = await register({ secret: 'mine' });
    const theirs = await other.register(otherToken, { url: receiver.url, secret: 'theirs' });
    sandbox.emit('deal.created');
    await receiver.untilReceived(2);
    const secrets = new Map([
      [mine, 'mine'],
      [theirs, 'theirs'],
    ]);
    for (const [at, { webhook_id: id }] of receiver.notifications().entries()) {
      const { body, headers } = receiver.received[at] ?? {
        body: '',
        headers: { 'x-copilot-signature': undefined },
      };
      const expected = createHmac('sha256', secrets.get(id) ?? 'none')
        .update(body)
        .digest('hex');
      expect(headers['x-copilot-signature']).toBe(expected);
    }
  });
});

describe('the signature (document, 5.6)', () => {
  test.each([['empty'], ['unicode'], ['bytes'], ['notification']])(
    'equals that of openssl: %s',
    async (name) => {
      await start();
      const signature = signBody(fixture(`${name}.secret`).toString(), fixture(`${name}.body`));
      expect(signature).toBe(computedByOpenssl(name));
    },
  );

  test('of a sent notification equals that of openssl for the recorded bytes', async () => {
    await start({ clock: new TimerClock(), random: (size) => Buffer.alloc(size, 7) });
    await register({ secret: fixture('notification.secret').toString() });
    sandbox.emit('agent.triggered', { id: 9, agent_id: 81, name: 'Überblick ✓', deal_id: 42 });
    await receiver.untilReceived(1);
    expect(receiver.received[0]?.body.toString()).toBe(fixture('notification.body').toString());
    expect(receiver.received[0]?.headers['x-copilot-signature']).toBe(computedByOpenssl('notification'));
  });
});

describe('the simulated CRM', () => {
  beforeEach(() => start());

  test('is consistent: a created deal advances until it is closed, and is deleted only once', () => {
    const { id } = sandbox.emit('deal.created').data;
    const statuses: unknown[] = [];
    for (let i = 0; i < 300; i++) {
      const { data } = sandbox.emit('deal.status_changed');
      if (data.id === id) statuses.push(data.status_id);
    }
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses).size).toBe(statuses.length);
    expect([142, 143]).toContain(statuses.at(-1));

    const deleted = Array.from({ length: 600 }, () => sandbox.emit('deal.deleted').data.id);
    expect(deleted.filter((one) => one === id)).toHaveLength(1);
  });

  test('is consistent: tasks and runs refer to existing deals', async () => {
    const read = await client.api('GET', '/v1/deals', token);
    const deals = await parseResponse(
      read,
      z.object({ data: z.array(z.object({ id: z.number(), name: z.string() })) }),
    );
    const ids = deals.data.map((deal) => deal.id);
    for (const event of ['task.created', 'scenario.executed', 'agent.triggered'] as const) {
      expect(ids).toContain(sandbox.emit(event).data.deal_id);
    }
  });

  test('never sends the same bytes for two events, so that receivers can detect duplicates', async () => {
    const clock = new TimerClock();
    await sandbox.close();
    sandbox = await startSandbox({ consent: 'grant', clock });
    const bodies = new Set<string>();
    for (let i = 0; i < 5_000; i++)
      bodies.add(JSON.stringify(sandbox.emit(ALL_EVENTS[i % 10] ?? 'deal.created')));
    expect(bodies.size).toBe(5_000);
  });
});
