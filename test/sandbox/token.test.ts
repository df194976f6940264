import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { TimerClock } from '../support/timer-clock';

let clock: TimerClock;
let sandbox: Sandbox;
let client: Client;

beforeEach(async () => {
  clock = new TimerClock();
  sandbox = await startSandbox({ consent: 'grant', clock });
  client = new Client(sandbox);
});
afterEach(() => sandbox.close());

const webhooksStatus = async (accessToken: string): Promise<number> =>
  (await client.api('GET', '/v1/webhooks', accessToken)).status;

describe('a code (document, 4.2 and 5.2)', () => {
  test('is exchanged for the tokens of the document, 2.4, with scopes separated by single spaces', async () => {
    const { response, body } = await client.exchange(await client.code('webhooks,deals,tasks'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(body.scope.split(' ').toSorted()).toEqual(['deals', 'tasks', 'webhooks']);
  });

  test('can be used once; a second use revokes the grant', async () => {
    const code = await client.code();
    const { body: tokens } = await client.exchange(code);
    expect(await webhooksStatus(tokens.access_token)).toBe(200);

    const { response, body } = await client.exchange(code);
    expect([response.status, body.error]).toEqual([400, 'invalid_grant']);
    expect(await webhooksStatus(tokens.access_token)).toBe(401);
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('expires after ten minutes', async () => {
    const [early, late] = [await client.code(), await client.code()];
    clock.move(599_999);
    expect((await client.exchange(early)).response.status).toBe(200);
    clock.move(1);
    expect((await client.exchange(late)).body.error).toBe('invalid_grant');
  });

  test('is rejected with another redirect URI, and remains valid for the right one', async () => {
    const code = await client.code();
    const { body } = await client.exchange(code, { redirect_uri: 'http://127.0.0.1:4000/other' });
    expect(body.error).toBe('invalid_grant');
    expect((await client.exchange(code)).response.status).toBe(200);
  });

  test('is rejected for another application, and remains valid for its own', async () => {
    const code = await client.code();
    expect((await new Client(sandbox).exchange(code)).body.error).toBe('invalid_grant');
    expect((await client.exchange(code)).response.status).toBe(200);
  });
});

describe('a refresh token (document, 4.2 and 5.4)', () => {
  test('returns a new access token and a new refresh token with the same scopes', async () => {
    const first = await client.connect('webhooks');
    const { response, body } = await client.refresh(first.refresh_token);
    expect(response.status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'webhooks' });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(body.access_token).not.toBe(first.access_token);
    expect(await webhooksStatus(body.access_token)).toBe(200);
  });

  test('can be used once; a second use revokes the grant', async () => {
    const first = await client.connect();
    const { body: second } = await client.refresh(first.refresh_token);
    const { response, body } = await client.refresh(first.refresh_token);
    expect([response.status, body.error]).toEqual([400, 'invalid_grant']);
    expect(await webhooksStatus(first.access_token)).toBe(401);
    expect(await webhooksStatus(second.access_token)).toBe(401);
    expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('is rejected for another application, and remains valid for its own', async () => {
    const { refresh_token: token } = await client.connect();
    expect((await new Client(sandbox).refresh(token)).body.error).toBe('invalid_grant');
    expect((await client.refresh(token)).response.status).toBe(200);
  });

  test('remains valid after its access token expired', async () => {
    const { refresh_token: token } = await client.connect();
    clock.move(30 * 24 * 3_600_000);
    expect((await client.refresh(token)).response.status).toBe(200);
  });
});

test('an access token is valid for one hour (document, 5.3 and 8)', async () => {
  const { access_token: token } = await client.connect();
  clock.move(3_599_999);
  expect(await webhooksStatus(token)).toBe(200);
  clock.move(1);
  expect(await webhooksStatus(token)).toBe(401);
});

describe('a rejected token request has the error format of RFC 6749, 5.2', () => {
  test.each([
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'nobody-s' }, 401, 'invalid_client'],
    ['an empty secret', { client_secret: '' }, 401, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no grant type', { grant_type: '' }, 400, 'invalid_request'],
    ['no code', { code: '' }, 400, 'invalid_request'],
    ['no redirect URI', { redirect_uri: '' }, 400, 'invalid_request'],
    ['an unknown code', { code: 'made-up' }, 400, 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
    [
      'an unknown refresh token',
      { grant_type: 'refresh_token', refresh_token: 'made-up' },
      400,
      'invalid_grant',
    ],
  ])('%s', async (_, changes: Record<string, string>, status, error) => {
    const { response, body } = await client.exchange(await client.code(), changes);
    expect([response.status, body.error]).toEqual([status, error]);
    expect(body.error_description).not.toBe('');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('a repeated field', async () => {
    const form = new URLSearchParams({
      ...client.credentials,
      grant_type: 'refresh_token',
      refresh_token: 'a',
    });
    form.append('refresh_token', 'b');
    const response = await fetch(`${sandbox.baseUrl}/oauth/token`, { method: 'POST', body: form });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  test('JSON instead of a form', async () => {
    const response = await fetch(`${sandbox.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...client.credentials, grant_type: 'refresh_token', refresh_token: 'a' }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  test('credentials in a header', async () => {
    const { client_id: id, client_secret: secret } = client.credentials;
    const { refresh_token } = await client.connect('webhooks');
    const response = await fetch(`${sandbox.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }),
    });
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  });

  test('no body', async () => {
    const response = await fetch(`${sandbox.baseUrl}/oauth/token`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });
});
