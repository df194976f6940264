import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Connection } from '../../../src/contract/connection';
import type { Subscription } from '../../../src/contract/subscription';
import { cookiesOf } from '../../support/cookies';
import { Switchboard, type Copilot } from '../../support/daemon/switchboard';
import { freePort } from '../../support/free-port';
import { until } from '../../support/until';

const AUTHORITY = join(__dirname, '../../support/fakes/foreign-authority.mjs');

interface Seen {
  grants: string[];
  webhooks: unknown[];
  calls: { method: string; accepted: boolean }[];
}

/** Fills in the forms of a foreign login and consent, as a person does who agrees to everything. */
class Browser {
  private readonly cookies = new Map<string, string>();

  /** Follows redirects and submits forms until it is redirected to `destination`. */
  async agreeUntil(destination: string, from: string): Promise<URL> {
    let response = await this.visit(from);
    let at = new URL(from);
    for (let step = 0; step < 20; step += 1) {
      const location = response.headers.get('location');
      if (location !== null) {
        at = new URL(location, at);
        if (at.href.startsWith(destination)) return at;
        response = await this.visit(at.href);
        continue;
      }
      const page = await response.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined)
        throw new Error(`${at.pathname} shows no form: ${response.status} ${page.slice(0, 500)}`);
      at = new URL(action, at);
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? '';
      response = await this.visit(
        at.href,
        new URLSearchParams({ prompt, login: 'somebody', password: 'anything' }),
      );
    }
    throw new Error(`Too many redirects, the last to ${at.pathname}.`);
  }

  private async visit(address: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]!.split(/=(.*)/s);
      this.cookies.set(name, value);
    }
    return response;
  }
}

describe.each(['oidc-provider', 'oauth2-mock-server'])('with the authorization server %s, serve', (which) => {
  let authority: ChildProcess;
  let authorityUrl: string;
  let hub: Switchboard<Copilot>;

  beforeAll(async () => {
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/oauth/callback`;
    authority = spawn(process.execPath, [AUTHORITY, which, redirectUri], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    [authorityUrl] = (await once(createInterface(authority.stdout!), 'line')) as [string];
    const upstream = {
      baseUrl: authorityUrl,
      clientId: 'switchboard',
      clientSecret: 'secret-of-the-test',
      daemonPort: port,
      consent: (url: string) => new Browser().agreeUntil(redirectUri, url),
      close: () => Promise.resolve(void authority.kill()),
    };
    hub = await Switchboard.startWith(upstream, { connected: false });
  });
  afterAll(() => hub.end());

  const show = async <T>(resource: string): Promise<T> => (await hub.ask(`/${resource}`)).json as T;
  const seen = async (): Promise<Seen> => (await (await fetch(`${authorityUrl}/seen`)).json()) as Seen;

  it('connects, and registers its webhook', async () => {
    const started = await fetch(new URL('/oauth/connect', hub.relay.url), {
      headers: Object.fromEntries(hub.bearer),
      redirect: 'manual',
    });
    const callback = await hub.upstream.consent(started.headers.get('location')!);
    const headers = { cookie: cookiesOf(started) };
    const completed = await fetch(callback, { headers, redirect: 'manual' });
    expect(completed.headers.get('location')).toBe('/connection');
    await until(
      'the webhook is registered',
      async () => (await show<Subscription>('subscription')).state === 'active',
    );
    expect((await show<Connection>('connection')).state).toBe('connected');
    expect(await seen()).toMatchObject({ grants: ['authorization_code'], webhooks: [{ active: true }] });
  });

  it.each([1, 2])('renews, each time with the latest refresh token: %d', async (times) => {
    const { renewed_at: before } = await show<Connection>('connection');
    hub.clock.move(50_000);
    await until('the token is renewed', async () => {
      const { state, renewed_at: now } = await show<Connection>('connection');
      return state === 'connected' && now !== null && now !== before;
    });
    expect((await seen()).grants.slice(1)).toEqual(Array.from({ length: times }, () => 'refresh_token'));
  });

  it('can use the API with the new token', async () => {
    const before = (await seen()).calls.length;
    await hub.ask('/subscription/repair', { method: 'POST' });
    const calls = (await seen()).calls.slice(before);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(({ accepted }) => accepted)).toBe(true);
    expect((await seen()).webhooks).toHaveLength(1);
  });

  // The mock server never rejects a grant.
  if (which !== 'oidc-provider') return;

  /** Moves the clock only to when a request is due, never while one is made: the token that it brings may be due again. */
  const moveUntil = async (expectedState: Connection['state']): Promise<Connection> => {
    await until(`the connection is ${expectedState}`, async () => {
      const { state, renews_at } = await show<Connection>('connection');
      if (state !== expectedState && renews_at !== null)
        hub.clock.move(Math.max(0, Date.parse(renews_at) - hub.clock.now()));
      return state === expectedState;
    });
    return show<Connection>('connection');
  };

  it('keeps its grant if the token endpoint rejects a request but not the grant', async () => {
    await fetch(`${authorityUrl}/gateway/on`);
    expect(await moveUntil('unreachable')).toMatchObject({
      sentence: expect.stringContaining('responded with 400 (invalid_request)'),
    });
    await fetch(`${authorityUrl}/gateway/off`);
    await moveUntil('connected');
    expect((await seen()).grants.slice(-2)).toEqual(['invalid_request', 'refresh_token']);
  });

  it('needs a new consent once its refresh token is revoked', async () => {
    await fetch(`${authorityUrl}/revoke`);
    expect(await moveUntil('consent_needed')).toMatchObject({
      sentence: expect.stringContaining('responded with 400 (invalid_grant)'),
    });
  });
});
