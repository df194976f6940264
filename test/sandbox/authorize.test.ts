import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client, REDIRECT_URI } from './client';
import { TimerClock } from './timer-clock';

const clock = new TimerClock();
let sandbox: Sandbox;
let client: Client;

afterEach(() => sandbox.close());

describe('GET /oauth/authorize where consent is given at once (document, 4.1 and 5.2)', () => {
  beforeEach(async () => {
    sandbox = await startSandbox({ consent: 'grant', clock });
    client = new Client(sandbox);
  });

  test('sends the user back to the redirect URI with a code and the state', async () => {
    const target = await client.authorize({ state: 'a b&c=ü' });
    expect(target.origin + target.pathname).toBe(REDIRECT_URI);
    expect(target.searchParams.get('code')).toMatch(/^[\w-]{40,}$/);
    expect(target.searchParams.get('state')).toBe('a b&c=ü');
  });

  test('leaves out the state where the client sent none', async () => {
    expect((await client.authorize({ state: undefined })).searchParams.has('state')).toBe(false);
  });

  test('keeps the query that was registered with a redirect URI', async () => {
    const redirectUri = 'https://example.com/back?tenant=a%20b';
    const { clientId } = sandbox.createApplication({ name: 'Query', redirectUris: [redirectUri] });
    const target = await client.authorize({ client_id: clientId, redirect_uri: redirectUri });
    expect(target.href).toMatch(/^https:\/\/example\.com\/back\?tenant=a%20b&code=/);
  });

  test.each([
    ['an unregistered address', 'https://evil.example/callback'],
    ['a longer path', `${REDIRECT_URI}/more`],
    ['an added query', `${REDIRECT_URI}?x=1`],
    ['another host of the same machine', REDIRECT_URI.replace('127.0.0.1', 'localhost')],
    ['other letters for the same address', REDIRECT_URI.replace('/oauth/callback', '/oauth/%63allback')],
    ['no address', undefined],
  ])('never redirects to a redirect URI that is not registered: %s', async (_, redirectUri) => {
    const answer = await fetch(client.authorizeUrl({ redirect_uri: redirectUri }), { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.text()).toContain('redirect_uri is not one of those registered');
  });

  test.each([['nobody-s'], [undefined]])('never redirects for an unknown client: %s', async (clientId) => {
    const answer = await fetch(client.authorizeUrl({ client_id: clientId }), { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.text()).toContain('No application has this client_id');
  });

  test('never redirects where the redirect URI comes twice', async () => {
    const url = `${client.authorizeUrl().href}&redirect_uri=https%3A%2F%2Fevil.example`;
    const answer = await fetch(url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['an unknown scope', { scope: 'deals,everything' }, 'invalid_scope'],
    ['scopes separated by spaces', { scope: 'deals webhooks' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ])('sends the user back with an error for %s', async (_, changes, error) => {
    const target = await client.authorize(changes);
    expect(target.origin + target.pathname).toBe(REDIRECT_URI);
    expect(target.searchParams.get('error')).toBe(error);
    expect(target.searchParams.get('error_description')).not.toBe('');
    expect(target.searchParams.get('state')).toBe('state-1');
    expect(target.searchParams.has('code')).toBe(false);
  });

  test('sends the user back with an error where a parameter comes twice', async () => {
    const answer = await fetch(`${client.authorizeUrl().href}&scope=deals`, { redirect: 'manual' });
    const target = new URL(answer.headers.get('location') ?? '');
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

describe('GET /oauth/authorize where the user is asked', () => {
  beforeEach(async () => {
    sandbox = await startSandbox({ clock });
    client = new Client(sandbox);
  });

  test('shows who asks and for what, in a page no other site can frame', async () => {
    const { clientId } = sandbox.createApplication({ name: '<b>Relay</b>', redirectUris: [REDIRECT_URI] });
    const answer = await fetch(client.authorizeUrl({ client_id: clientId }));
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain('Allow &lt;b&gt;Relay&lt;/b&gt;?');
    expect(page).toContain('Management of webhooks');
    expect(page).toContain('Access to deals');
    expect(page).not.toContain('Access to tasks');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('sends the user back with a code after Allow', async () => {
    const answer = await decide({ consent: await question(), decision: 'allow' });
    const target = new URL(answer.headers.get('location') ?? '');
    expect(answer.status).toBe(303);
    expect(target.searchParams.get('state')).toBe('state-1');
    expect((await client.exchange(target.searchParams.get('code') ?? '')).answer.status).toBe(200);
  });

  test('sends the user back with access_denied after Deny', async () => {
    const answer = await decide({ consent: await question(), decision: 'deny' });
    const target = new URL(answer.headers.get('location') ?? '');
    expect(target.searchParams.get('error')).toBe('access_denied');
    expect(target.searchParams.get('state')).toBe('state-1');
    expect(target.searchParams.has('code')).toBe(false);
  });

  test('takes an answer once, within ten minutes, and only to a question it asked', async () => {
    const once = await question();
    await decide({ consent: once, decision: 'allow' });
    const late = await question();
    clock.move(10 * 60_000);
    for (const asked of [once, late, 'made-up']) {
      const answer = await decide({ consent: asked, decision: 'allow' });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
  });
});
