import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { parseResponse } from './parse-response';

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
  test('creates a webhook and returns its record with an id of the form wh_<digits>, without the secret', async () => {
    const response = await client.api('POST', '/v1/webhooks', token, WEBHOOK);
    const text = await response.text();
    expect(response.status).toBe(201);
    expect(JSON.parse(text)).toEqual({
      webhook_id: expect.stringMatching(/^wh_\d+$/),
      url: 'https://relay.example/hooks/1',
      events: ['deal.created', 'task.completed'],
      active: true,
    });
    expect(text).not.toContain('the-secret-of-the-webhook');
  });

  test.each([['http://127.0.0.1:4000/hooks/1'], ['http://localhost/hooks/1'], ['http://[::1]:4000/hooks/1']])(
    'accepts http on loopback: %s',
    async (url) => {
      expect((await client.api('POST', '/v1/webhooks', token, { ...WEBHOOK, url })).status).toBe(201);
    },
  );

  test.each([
    ['http outside loopback', { url: 'http://relay.example/hooks' }, 'url'],
    ['a host that starts like loopback', { url: 'http://127.0.0.1.relay.example/hooks' }, 'url'],
    ['no URL', { url: 'relay.example' }, 'url'],
    ['another scheme', { url: 'ftp://relay.example/' }, 'url'],
    ['credentials in the URL', { url: 'https://a:b@relay.example/' }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['deal.created', 'deal.exploded'] }, 'events.1'],
    ['events that are not a list', { events: 'deal.created' }, 'events'],
    ['active as a string', { active: 'true' }, 'active'],
    ['active missing', { active: undefined }, 'active'],
    ['an empty secret', { secret: '' }, 'secret'],
    ['the secret missing', { secret: undefined }, 'secret'],
    ['an unknown field', { colour: 'red' }, 'body'],
  ])('rejects %s with a problem that names the field', async (_, changes, field) => {
    const response = await client.api('POST', '/v1/webhooks', token, { ...WEBHOOK, ...changes });
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({
      status: 422,
      code: 'invalid_request',
      errors: [{ field }],
    });
    expect(await listed()).toEqual({ data: [] });
  });

  test('lists all errors', async () => {
    const response = await client.api('POST', '/v1/webhooks', token, {});
    const { errors } = await parseResponse(
      response,
      z.object({ errors: z.array(z.object({ field: z.string() })) }),
    );
    expect(errors.map(({ field }) => field)).toEqual(['url', 'events', 'active', 'secret']);
  });

  test('rejects invalid JSON with a problem', async () => {
    const response = await fetch(`${sandbox.baseUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 400, code: 'unreadable_request' });
  });
});

test('the URL of a webhook is returned exactly as sent, so that clients can find their webhook by it', async () => {
  const url = 'https://relay.example:443?a=b%20c';
  await client.register(token, { ...WEBHOOK, url });
  expect(await listed()).toMatchObject({ data: [{ url }] });
});

test('GET /v1/webhooks lists the webhooks of the application, oldest first (document, 4.4)', async () => {
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
  test('changes events, active or both, and returns the record', async () => {
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
    ['another URL', { url: 'https://elsewhere.example/' }],
    ['another secret', { secret: 'other' }],
  ])('rejects %s and changes nothing', async (_, changes) => {
    const id = await client.register(token, WEBHOOK);
    const response = await client.api('PATCH', `/v1/webhooks/${id}`, token, changes);
    expect([response.status, await response.json()]).toMatchObject([422, { code: 'invalid_request' }]);
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

describe('a webhook belongs to the application that created it', () => {
  test.each([['PATCH'], ['DELETE']])(
    '%s responds with 404 for another application and for an unknown id',
    async (method) => {
      const id = await client.register(token, WEBHOOK);
      const other = new Client(sandbox);
      const { access_token: otherToken } = await other.connect('webhooks');
      const body = method === 'PATCH' ? { active: false } : undefined;

      expect(await listed(otherToken)).toEqual({ data: [] });
      for (const path of [`/v1/webhooks/${id}`, '/v1/webhooks/wh_1']) {
        const response = await other.api(method, path, otherToken, body);
        expect([response.status, await response.json()]).toMatchObject([404, { code: 'webhook_not_found' }]);
      }
      expect(await listed()).toMatchObject({ data: [{ webhook_id: id, active: true }] });
    },
  );

  test('and is visible with every token of that application', async () => {
    const id = await client.register(token, WEBHOOK);
    const again = await client.connect('webhooks,deals');
    expect(await listed(again.access_token)).toMatchObject({ data: [{ webhook_id: id }] });
  });
});
