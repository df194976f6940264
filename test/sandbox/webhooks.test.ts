import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { readAnswer } from './read-answer';

let sandbox: Sandbox;
let client: Client;
let token: string;

beforeEach(async () => {
  sandbox = await startSandbox({ consent: 'grant' });
  client = new Client(sandbox);
  token = (await client.connect('webhooks')).access_token;
});
afterEach(() => sandbox.close());

const WEBHOOK = {
  url: 'https://relay.example/hooks/1',
  events: ['deal.created', 'task.completed'],
  active: true,
  secret: 'the-secret-of-the-webhook',
};

const listed = async (accessToken = token): Promise<unknown> =>
  (await client.api('GET', '/v1/webhooks', accessToken)).json();

describe('POST /v1/webhooks (document, 4.3)', () => {
  test('creates a webhook and answers the record with an id of the form wh_<digits>, without the secret', async () => {
    const answer = await client.api('POST', '/v1/webhooks', token, WEBHOOK);
    const text = await answer.text();
    expect(answer.status).toBe(201);
    expect(JSON.parse(text)).toEqual({
      webhook_id: expect.stringMatching(/^wh_\d+$/),
      url: 'https://relay.example/hooks/1',
      events: ['deal.created', 'task.completed'],
      active: true,
    });
    expect(text).not.toContain('the-secret-of-the-webhook');
  });

  test.each([['http://127.0.0.1:4000/hooks/1'], ['http://localhost/hooks/1'], ['http://[::1]:4000/hooks/1']])(
    'takes http towards loopback: %s',
    async (url) => {
      expect((await client.api('POST', '/v1/webhooks', token, { ...WEBHOOK, url })).status).toBe(201);
    },
  );

  test.each([
    ['http beyond loopback', { url: 'http://relay.example/hooks' }, 'url'],
    ['a host that only begins like loopback', { url: 'http://127.0.0.1.relay.example/hooks' }, 'url'],
    ['no address', { url: 'relay.example' }, 'url'],
    ['an address of another kind', { url: 'ftp://relay.example/' }, 'url'],
    ['a password in the address', { url: 'https://a:b@relay.example/' }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['deal.created', 'deal.exploded'] }, 'events.1'],
    ['events that are no list', { events: 'deal.created' }, 'events'],
    ['active as a text', { active: 'true' }, 'active'],
    ['active left out', { active: undefined }, 'active'],
    ['an empty secret', { secret: '' }, 'secret'],
    ['the secret left out', { secret: undefined }, 'secret'],
    ['a field of no meaning', { colour: 'red' }, 'body'],
  ])('refuses %s with a problem that names the field', async (_, changes, field) => {
    const answer = await client.api('POST', '/v1/webhooks', token, { ...WEBHOOK, ...changes });
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await answer.json()).toMatchObject({ status: 422, code: 'invalid_request', errors: [{ field }] });
    expect(await listed()).toEqual({ data: [] });
  });

  test('names every fault at once', async () => {
    const answer = await client.api('POST', '/v1/webhooks', token, {});
    const { errors } = await readAnswer(
      answer,
      z.object({ errors: z.array(z.object({ field: z.string() })) }),
    );
    expect(errors.map(({ field }) => field)).toEqual(['url', 'events', 'active', 'secret']);
  });

  test('refuses what is not JSON with a problem', async () => {
    const answer = await fetch(`${sandbox.baseUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ status: 400, code: 'unreadable_request' });
  });
});

test('the address of a webhook is answered as it was sent, so that a client finds its own by it', async () => {
  const url = 'https://relay.example:443?a=b%20c';
  await client.register(token, { ...WEBHOOK, url });
  expect(await listed()).toMatchObject({ data: [{ url }] });
});

test('GET /v1/webhooks lists those of the application, oldest first (document, 4.4)', async () => {
  const first = await client.register(token, WEBHOOK);
  const second = await client.register(token, { ...WEBHOOK, active: false });
  expect(await listed()).toMatchObject({
    data: [
      { webhook_id: first, active: true },
      { webhook_id: second, active: false },
    ],
  });
});

describe('PATCH /v1/webhooks/{webhook_id} (document, 4.5)', () => {
  test('changes events and active, together or one of them, and answers the record', async () => {
    const id = await client.register(token, WEBHOOK);
    const off = await client.api('PATCH', `/v1/webhooks/${id}`, token, { active: false });
    expect([off.status, await off.json()]).toMatchObject([200, { webhook_id: id, active: false }]);
    const both = { events: ['contact.created'], active: true };
    await client.api('PATCH', `/v1/webhooks/${id}`, token, both);
    expect(await listed()).toMatchObject({ data: [both] });
  });

  test.each([
    ['nothing', {}],
    ['no events', { events: [] }],
    ['an unknown event', { events: ['deal.exploded'] }],
    ['active as a number', { active: 1 }],
    ['another address', { url: 'https://elsewhere.example/' }],
    ['another secret', { secret: 'other' }],
  ])('refuses %s and changes nothing', async (_, changes) => {
    const id = await client.register(token, WEBHOOK);
    const answer = await client.api('PATCH', `/v1/webhooks/${id}`, token, changes);
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'invalid_request' }]);
    const { secret: _secret, ...unchanged } = WEBHOOK;
    expect(await listed()).toEqual({ data: [{ webhook_id: id, ...unchanged }] });
  });
});

test('DELETE /v1/webhooks/{webhook_id} removes the webhook (document, 4.6)', async () => {
  const id = await client.register(token, WEBHOOK);
  expect((await client.api('DELETE', `/v1/webhooks/${id}`, token)).status).toBe(204);
  expect(await listed()).toEqual({ data: [] });
  expect((await client.api('DELETE', `/v1/webhooks/${id}`, token)).status).toBe(404);
});

describe('a webhook belongs to the application that made it', () => {
  test.each([['PATCH'], ['DELETE']])(
    '%s answers 404 to another application and for an unknown id',
    async (method) => {
      const id = await client.register(token, WEBHOOK);
      const other = new Client(sandbox);
      const { access_token: otherToken } = await other.connect('webhooks');
      const body = method === 'PATCH' ? { active: false } : undefined;

      expect(await listed(otherToken)).toEqual({ data: [] });
      for (const path of [`/v1/webhooks/${id}`, '/v1/webhooks/wh_1']) {
        const answer = await other.api(method, path, otherToken, body);
        expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'webhook_not_found' }]);
      }
      expect(await listed()).toMatchObject({ data: [{ webhook_id: id, active: true }] });
    },
  );

  test('and is seen with every token of that application', async () => {
    const id = await client.register(token, WEBHOOK);
    const again = await client.connect('webhooks,deals');
    expect(await listed(again.access_token)).toMatchObject({ data: [{ webhook_id: id }] });
  });
});
