import { setTimeout as pause } from 'node:timers/promises';
import { cookiesOf } from '../../support/cookies';
import { Switchboard } from '../../support/daemon/switchboard';
import type { FakeCopilot } from '../../support/fakes/copilot';

describe('consent in the browser', () => {
  let hub: Switchboard;
  let upstream: FakeCopilot;
  let operator: Record<string, string>;

  beforeAll(async () => {
    hub = await Switchboard.start({ connected: false });
    ({ upstream } = hub);
    operator = Object.fromEntries(hub.bearer);
  });
  afterAll(() => hub.end());

  /** Cookies of the browser that gives consent. */
  let cookie = '';
  const visit = async (address: string | URL, headers: Record<string, string> = {}) => {
    const response = await fetch(new URL(address, hub.relay.url), {
      redirect: 'manual',
      headers: { cookie, ...headers },
    });
    cookie = cookiesOf(response) || cookie;
    return response;
  };
  const head = async (address: string | URL) =>
    fetch(new URL(address, hub.relay.url), {
      method: 'HEAD',
      headers: { ...operator, cookie },
      redirect: 'manual',
    });
  const begin = async () => (await visit('/oauth/connect', operator)).headers.get('location') ?? '';
  const stateOf = async (resource: 'connection' | 'subscription') => {
    const shown: { state: string } = JSON.parse(await (await visit(`/api/v1/${resource}`, operator)).text());
    return shown;
  };

  const startFromDashboard = () =>
    fetch(new URL('/oauth/connect', hub.relay.url), { method: 'POST', headers: operator });

  it('can only be started by the operator', async () => {
    const response = await visit('/oauth/connect');
    expect(response.status).not.toBe(200);
    expect(response.headers.get('location') ?? '').not.toContain('/oauth/authorize');
  });

  it('leads to Co-Pilot and back to the connection, which needs no login', async () => {
    const started = await visit('/oauth/connect', operator);
    expect(started.status).toBe(302);
    expect(started.headers.get('cache-control')).toBe('no-store');
    const callback = await upstream.consent(started.headers.get('location') ?? '');
    expect(callback.href.startsWith(`${hub.relay.url}/oauth/callback?code=`)).toBe(true);

    const completed = await visit(callback);
    expect(completed.status).toBe(302);
    expect(completed.headers.get('location')).toBe('/connection');
    expect(completed.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await stateOf('connection')).state).toBe('connected');

    const deadline = Date.now() + 10_000;
    while ((await stateOf('subscription')).state !== 'active' && Date.now() < deadline) await pause(20);
    expect(await stateOf('subscription')).toMatchObject({ state: 'active', webhook_id: 'wh_1001' });

    const again = await visit(callback);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('This response was already used');
  });

  it('is neither started nor completed by a HEAD request', async () => {
    const headResponse = await head('/oauth/connect');
    expect([headResponse.status, headResponse.headers.get('location')]).toEqual([200, null]);
    const callback = await upstream.consent(await begin());
    expect((await head(callback)).status).toBe(200);
    const completed = await visit(callback);
    expect(completed.headers.get('location')).toBe('/connection');
  });

  it('leads to a page that says what to do when it was denied', async () => {
    const state = new URL(await begin()).searchParams.get('state') ?? '';
    const response = await visit(`/oauth/callback?error=access_denied&state=${state}`);
    expect(response.status).toBe(403);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain('Consent was denied');
    expect(page).toContain('<a href="/oauth/connect">');
    expect(page).not.toContain('<script');
  });

  it('that Co-Pilot does not respond to ends with 502', async () => {
    upstream.misbehave('POST /oauth/token', 'drop_request');
    const response = await visit(await upstream.consent(await begin()));
    upstream.behave();
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('Co-Pilot could not be reached');
  });

  it('is not started from the dashboard while Co-Pilot does not respond', async () => {
    upstream.misbehave('HEAD /', 'drop_request');
    const response = await startFromDashboard();
    upstream.behave();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      code: 'copilot_unreachable',
      detail: expect.stringContaining(upstream.baseUrl),
    });
    expect((await startFromDashboard()).status).toBe(201);
  });

  it('puts no part of the URL into the page', async () => {
    const state = new URL(await begin()).searchParams.get('state') ?? '';
    const marked = encodeURIComponent('<script>alert(1)</script>');
    const failed = await visit(`/oauth/callback?error=${marked}&state=${state}`);
    expect(failed.status).toBe(400);
    expect(await failed.text()).not.toContain('<script');
    const unknown = await visit(`/oauth/callback?state=${marked}&code=${marked}`);
    expect(unknown.status).toBe(400);
    expect(await unknown.text()).not.toContain('<script');
  });
});
