import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client, REDIRECT_URI } from './client';
import { TimerClock } from '../support/timer-clock';

const clock = new TimerClock();
let sandbox: Sandbox;
let client: Client;

afterEach(() => sandbox.close());

describe('GET /oauth/authorize with automatic consent (document, 4.1 and 5.2)', () => {
  beforeEach(async () => {
    sandbox = await startSandbox({ consent: 'grant', clock });
    client = new Client(sandbox);
  });

  test('redirects with a code and the state', async () => {
    const target = await client.authorize({ state: 'a b&c=ü' });
    expect(target.origin + target.pathname).toBe(REDIRECT_URI);
    expect(target.searchParams.get('code')).toMatch(/^[\w-]{40,}$/);
    expect(target.searchParams.get('state')).toBe('a b&c=ü');
  });

  test('omits the state if the client sent none', async () => {
    expect((await client.authorize({ state: undefined })).searchParams.has('state')).toBe(false);
  });

  test('preserves the query of a registered redirect URI', async () => {
    const redirectUri = 'https://example.com/back?tenant=a%20b';
    const { clientId } = sandbox.createApplication({ name: 'Query', redirectUris: [redirectUri] });
    const target = await client.authorize({ client_id: clientId, redirect_uri: redirectUri });
    expect(target.href).toMatch(/^https:\/\/example\.com\/back\?tenant=a%20b&code=/);
  });

  test.each([
    ['an unregistered URL', 'https://evil.example/callback'],
    ['a longer path', `${REDIRECT_URI}/more`],
    ['an added query', `${REDIRECT_URI}?x=1`],
    ['another host name of the same machine', REDIRECT_URI.replace('127.0.0.1', 'localhost')],
    ['an equivalent encoding', REDIRECT_URI.replace('/oauth/callback', '/oauth/%63allback')],
    ['no URL', undefined],
  ])('never redirects to an unregistered URI: %s', async (_, redirectUri) => {
    const response = await fetch(client.authorizeUrl({ redirect_uri: redirectUri }), { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toContain('redirect_uri is not one of those registered');
  });

  test.each([['nobody-s'], [undefined]])('never redirects for an unknown client: %s', async (clientId) => {
    const response = await fetch(client.authorizeUrl({ client_id: clientId }), { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toContain('No application has this client_id');
  });

  test('never redirects if the redirect URI is repeated', async () => {
    const url = `${client.authorizeUrl().href}&redirect_uri=https%3A%2F%2Fevil.example`;
    const response = await fetch(url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['an unknown scope', { scope: 'deals,everything' }, 'invalid_scope'],
    ['scopes separated by spaces', { scope: 'deals webhooks' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ])('redirects with an error for %s', async (_, changes, error) => {
    const target = await client.authorize(changes);
    expect(target.origin + target.pathname).toBe(REDIRECT_URI);
    expect(target.searchParams.get('error')).toBe(error);
    expect(target.searchParams.get('error_description')).not.toBe('');
    expect(target.searchParams.get('state')).toBe('state-1');
    expect(target.searchParams.has('code')).toBe(false);
  });

  test('redirects with an error if a parameter is repeated', async () => {
    const response = await fetch(`${client.authorizeUrl().href}&scope=deals`, { redirect: 'manual' });
    const target = new URL(response.headers.get('location') ?? '');
    expect(target.searchParams.get('error')).toBe('invalid_request');
  });
});

const question = async (): Promise<string> => {
  const page = await (await fetch(client.authorizeUrl())).text();
  return /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
};
const decide = (fields: Record<string, string>): Promise<Response> =>
  fetch(`${sandbox.baseUrl}/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('GET /oauth/authorize with the consent page', () => {
  beforeEach(async () => {
    sandbox = await startSandbox({ clock });
    client = new Client(sandbox);
  });

  test('shows the application and its scopes on a page that cannot be framed', async () => {
    const { clientId } = sandbox.createApplication({ name: '<b>Relay</b>', redirectUris: [REDIRECT_URI] });
    const response = await fetch(client.authorizeUrl({ client_id: clientId }));
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('Allow &#60;b&#62;Relay&#60;/b&#62;?');
    expect(page).toContain('Management of webhooks');
    expect(page).toContain('Access to deals');
    expect(page).not.toContain('Access to tasks');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('redirects with a code after Allow', async () => {
    const response = await decide({ consent: await question(), decision: 'allow' });
    const target = new URL(response.headers.get('location') ?? '');
    expect(response.status).toBe(303);
    expect(target.searchParams.get('state')).toBe('state-1');
    expect((await client.exchange(target.searchParams.get('code') ?? '')).response.status).toBe(200);
  });

  test('redirects with access_denied after Deny', async () => {
    const response = await decide({ consent: await question(), decision: 'deny' });
    const target = new URL(response.headers.get('location') ?? '');
    expect(target.searchParams.get('error')).toBe('access_denied');
    expect(target.searchParams.get('state')).toBe('state-1');
    expect(target.searchParams.has('code')).toBe(false);
  });

  test('accepts each decision once, within ten minutes, for a pending request only', async () => {
    const once = await question();
    await decide({ consent: once, decision: 'allow' });
    const late = await question();
    clock.move(10 * 60_000);
    for (const asked of [once, late, 'made-up']) {
      const response = await decide({ consent: asked, decision: 'allow' });
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    }
  });
});
