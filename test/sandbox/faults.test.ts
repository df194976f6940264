import { z } from 'zod';
import { Client } from './client';
import { parseResponse } from './parse-response';
import { patchSandbox } from './patch-sandbox';
import { until } from '../support/until';
import {
  client,
  clock,
  receiver,
  replaceSandbox,
  sandbox,
  setQuirks,
  tokens,
  useConnectedSandbox,
} from './connected-sandbox';

/** The quirks that are faults, as seen over HTTP. */
useConnectedSandbox();

const setFaults = (changes: object): Promise<{ status: number; body: unknown }> =>
  patchSandbox(sandbox, 'faults', changes);
const now = async (): Promise<unknown> => (await fetch(`${sandbox.baseUrl}/panel/faults`)).json();
const deals = (): Promise<Response> => client.api('GET', '/v1/deals', tokens.access_token);
const refreshRaw = (): Promise<Response> =>
  fetch(`${sandbox.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...client.credentials,
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }),
  });

describe('fault states', () => {
  test('are off by default; true lasts until turned off, a number lasts that many times', async () => {
    expect(Object.values(Object(await now()))).toEqual(Array(17).fill(false));
    await setFaults({ api_500: true });
    for (let i = 0; i < 3; i++) expect((await deals()).status).toBe(500);
    await setFaults({ api_500: 2 });
    expect((await deals()).status).toBe(500);
    expect(await now()).toMatchObject({ api_500: 1 });
    expect((await deals()).status).toBe(500);
    expect((await deals()).status).toBe(200);
    expect(await now()).toMatchObject({ api_500: false });
    await setFaults({ api_500: true });
    await setFaults({ api_500: false });
    expect((await deals()).status).toBe(200);
  });

  test('are rejected with all errors listed, and nothing changes', async () => {
    const response = await setFaults({ api_500: true, api_401: 'yes', api_403: 0, flood: true });
    expect(response).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'api_401' }, { field: 'api_403' }, { field: 'body' }] },
    });
    expect(JSON.stringify(response.body)).toContain('There is no flood. Send one of: token_reset, ');
    expect((await deals()).status).toBe(200);
  });

  test('can be set at startup', async () => {
    await replaceSandbox({ token_500: 1 });
    const otherClient = new Client(sandbox);
    expect((await otherClient.exchange(await otherClient.code())).response.status).toBe(500);
    expect((await otherClient.exchange(await otherClient.code())).response.status).toBe(200);
  });
});

describe('the token endpoint', () => {
  test('drops the connection without processing the request', async () => {
    await setFaults({ token_reset: 1 });
    await expect(refreshRaw()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await refreshRaw()).status).toBe(200);
  });

  test('responds with 500 without processing the request', async () => {
    await setFaults({ token_500: 1 });
    expect((await refreshRaw()).status).toBe(500);
    expect((await refreshRaw()).status).toBe(200);
  });

  test('responds with 200 and HTML without processing the request', async () => {
    await setFaults({ token_html: 1 });
    const response = await refreshRaw();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toMatch(/^<!doctype html>/);
    expect((await refreshRaw()).status).toBe(200);
  });

  test('processes the request and drops the response, which uses up the refresh token', async () => {
    await setFaults({ token_lost: 1 });
    await expect(refreshRaw()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('is not affected by API faults, nor the API by its faults', async () => {
    await setFaults({ api_500: true });
    expect((await refreshRaw()).status).toBe(200);
    await setFaults({ api_500: false, token_500: true, token_html: true });
    expect((await fetch(`${sandbox.baseUrl}/panel/applications`)).status).toBe(200);
    expect((await client.api('GET', '/v1/deals', 'none')).status).toBe(401);
  });
});

describe('the API', () => {
  test.each([
    ['api_401', 401, 'www-authenticate', 'Bearer realm="Co-Pilot", error="invalid_token"'],
    ['api_403', 403, 'retry-after', null],
    ['api_429', 429, 'retry-after', '5'],
    ['api_500', 500, 'retry-after', null],
  ])('%s: responds with %d without processing the request', async (name, status, header, value) => {
    await setFaults({ [name]: 1 });
    const webhook = { url: receiver.url, events: ['deal.created'], active: true, secret: 's' };
    const response = await client.api('POST', '/v1/webhooks', tokens.access_token, webhook);
    expect([response.status, response.headers.get(header)]).toEqual([status, value]);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const listed = await client.api('GET', '/v1/webhooks', tokens.access_token);
    expect([listed.status, await listed.json()]).toEqual([200, { data: [] }]);
  });

  test('sends the configured Retry-After', async () => {
    await setQuirks({ retry_after_seconds: 0 });
    await setFaults({ api_429: 1 });
    expect((await deals()).headers.get('retry-after')).toBe('0');
  });

  test('processes the request immediately and delays the response', async () => {
    await setQuirks({ slow_response_seconds: 30 });
    await setFaults({ api_slow: 1 });
    const webhook = { url: receiver.url, events: ['deal.created'], active: true, secret: 's' };
    let isAnswered = false;
    const response = client
      .api('POST', '/v1/webhooks', tokens.access_token, webhook)
      .finally(() => (isAnswered = true));
    await until('the webhook', () => sandbox.emit('deal.created').webhookIds.length === 1);
    clock.move(29_999);
    expect((await deals()).status).toBe(200);
    expect(isAnswered).toBe(false);
    clock.move(1);
    expect((await response).status).toBe(201);
  });

  test('drops a delayed response if the client disconnects or the sandbox closes', async () => {
    await setFaults({ api_slow: true });
    const givingUp = new AbortController();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const given = fetch(`${sandbox.baseUrl}/v1/deals`, { headers, signal: givingUp.signal });
    await until('the first', () => clock.pendingTimers === 1);
    givingUp.abort();
    await expect(given).rejects.toThrow('aborted');
    await until('the end of the first', () => clock.pendingTimers === 0);
    const closed = deals().catch(() => 'gone');
    await until('the second', () => clock.pendingTimers === 1);
    await sandbox.close();
    expect(await closed).toBe('gone');
    await until('the end of the second', () => clock.pendingTimers === 0);
  });
});

describe('notifications', () => {
  test('are sent twice with the same bytes', async () => {
    await client.register(tokens.access_token, { url: receiver.url });
    await setFaults({ notifications_duplicated: 1 });
    sandbox.emit('deal.created');
    await receiver.untilReceived(2);
    sandbox.emit('deal.created');
    await receiver.untilReceived(3);
    const [first, second, third] = receiver.received.map(({ body }) => body.toString());
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('are swapped with the next one for their webhook', async () => {
    await client.register(tokens.access_token, { url: receiver.url });
    await setFaults({ notifications_reordered: true });
    for (const name of ['first', 'second', 'third', 'fourth']) {
      sandbox.emit('deal.created', { name });
      if (name === 'second') await receiver.untilReceived(2);
    }
    await receiver.untilReceived(4);
    expect(receiver.notifications().map(({ data }) => data['name'])).toEqual([
      'second',
      'first',
      'fourth',
      'third',
    ]);
  });

  test('that are held are sent after three seconds if no other follows', async () => {
    await client.register(tokens.access_token, { url: receiver.url });
    await setFaults({ notifications_reordered: 1 });
    sandbox.emit('deal.created');
    clock.move(2_999);
    expect([clock.pendingTimers, receiver.received]).toEqual([1, []]);
    clock.move(1);
    await receiver.untilReceived(1);
  });
});

const changeWebhook = (method: string, id: string, body?: object): Promise<Response> =>
  fetch(`${sandbox.baseUrl}/panel/webhooks/${id}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
const listed = async (): Promise<unknown> =>
  (await client.api('GET', '/v1/webhooks', tokens.access_token)).json();

describe('another user', () => {
  test('changes the events, state and URL of a webhook', async () => {
    const id = await client.register(tokens.access_token, { url: 'https://relay.example/old' });
    const changes = { url: receiver.url, events: ['task.created'], active: false };
    expect((await changeWebhook('PATCH', id, changes)).status).toBe(204);
    expect(await listed()).toEqual({ data: [{ webhook_id: id, ...changes }] });
    await changeWebhook('PATCH', id, { active: true });
    expect(sandbox.emit('task.created').webhookIds).toEqual([id]);
    await receiver.untilReceived(1);
  });

  test('deletes a webhook', async () => {
    const id = await client.register(tokens.access_token, { url: receiver.url });
    expect((await changeWebhook('DELETE', id)).status).toBe(204);
    expect(await listed()).toEqual({ data: [] });
    expect((await changeWebhook('DELETE', id)).status).toBe(404);
    expect((await changeWebhook('PATCH', 'wh_1', { active: true })).status).toBe(404);
  });

  test.each([[{ url: 'http://relay.example/' }], [{ events: [] }], [{ secret: 'x' }]])(
    'cannot make a change that is invalid for the application: %j',
    async (changes) => {
      const id = await client.register(tokens.access_token, { url: receiver.url });
      expect((await changeWebhook('PATCH', id, changes)).status).toBe(422);
    },
  );

  test('revokes a refresh token and all tokens of its grant', async () => {
    const list = await fetch(`${sandbox.baseUrl}/panel/refresh-tokens`);
    const { data } = await parseResponse(list, z.object({ data: z.tuple([z.object({ id: z.string() })]) }));
    const revoked = `${sandbox.baseUrl}/panel/refresh-tokens/${data[0].id}`;
    expect((await fetch(revoked, { method: 'DELETE' })).status).toBe(204);
    expect((await deals()).status).toBe(401);
    const { response, body } = await client.refresh(tokens.refresh_token);
    expect([response.status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('renews the Client Secret: the old one is rejected, tokens remain valid', async () => {
    const { client_id: id } = client.credentials;
    const url = `${sandbox.baseUrl}/panel/applications/${id}/secret`;
    const renewed = await fetch(url, { method: 'POST' });
    const { client_secret } = await parseResponse(renewed, z.object({ client_secret: z.string() }));
    const { response, body } = await client.refresh(tokens.refresh_token);
    expect([response.status, body.error]).toEqual([401, 'invalid_client']);
    expect((await deals()).status).toBe(200);
    expect((await client.refresh(tokens.refresh_token, { client_secret })).response.status).toBe(200);
  });
});
