import { AccessService } from '../../../src/relay/access/access.service';
import { until } from '../../support/until';
import { cookieOf, AccessHarness, requestWith, type Login } from './access-harness';

let hub: AccessHarness;
beforeEach(async () => {
  hub = await AccessHarness.start();
});
afterEach(() => hub.dispose());

const ALL = ['read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin'];
const paste = (token: unknown) => hub.ask('/api/v1/session', { method: 'POST', json: { token } });
const logOut = (login: Login) =>
  hub.ask('/api/v1/session', {
    method: 'DELETE',
    headers: { ...login, origin: hub.origin },
  });

it('shows the current session', async () => {
  expect((await hub.ask('/api/v1/session')).status).toBe(401);
  expect((await hub.ask('/api/v1/session', { headers: hub.bearer })).json).toEqual({
    via: 'token',
    name: null,
    scopes: ALL,
    expires_at: null,
    masked: [],
    sandbox: false,
  });
  const login = await hub.logIn();
  const expires = new Date(hub.clock.now() + 30 * 86_400_000).toISOString();
  expect((await hub.ask('/api/v1/session', { headers: login })).json).toEqual({
    via: 'session',
    name: null,
    scopes: ALL,
    expires_at: expires,
    masked: [],
    sandbox: false,
  });
});

it('is not opened under another host name, where it would be useless', async () => {
  const response = await hub.ask('/api/v1/session', {
    method: 'POST',
    json: { token: hub.adminToken },
    headers: { host: `other.example:${hub.port}` },
  });
  expect(response).toMatchObject({ status: 403, json: { code: 'host_rejected' } });
  expect(response.headers['set-cookie']).toBeUndefined();
});

it('is opened by the admin token', async () => {
  const response = await paste(hub.adminToken);
  expect(response).toMatchObject({
    status: 201,
    json: { via: 'session', secret: expect.stringMatching(/^[\w-]{43}$/) },
  });
  expect(response.headers['cache-control']).toBe('no-store');
  expect(cookieOf(response)).toMatch(new RegExp(`^switchboard_session_${hub.port}=[\\w-]{43}$`));
});

it('does not open with any other token', async () => {
  const wrong = await paste(`${hub.adminToken}x`);
  expect(wrong).toMatchObject({ status: 401, json: { code: 'token_rejected' } });
  expect(wrong.headers['set-cookie']).toBeUndefined();
  expect(await paste(7)).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', errors: [{ path: 'token', message: expect.any(String) }] },
  });
});

it('limits wrong tokens to ten a minute, and still accepts the right one', async () => {
  for (let i = 0; i < 10; i += 1) {
    expect((await paste(`wrong ${i}`)).status).toBe(401);
    hub.clock.time += 1_000;
  }
  const rejected = await paste('wrong again');
  expect(rejected).toMatchObject({ status: 429, json: { code: 'too_many_attempts' } });
  expect(rejected.headers['retry-after']).toBe('50');
  expect((await paste(hub.adminToken)).status).toBe(201);
});

it('counts wrong bearer tokens as well, on every route', async () => {
  const authorization = 'Bearer wrong';
  const probe = () => hub.ask('/api/v1/probe', { headers: { authorization } });
  for (let i = 0; i < 10; i += 1) expect((await probe()).status).toBe(401);
  const rejected = await probe();
  expect(rejected).toMatchObject({ status: 429, json: { code: 'too_many_attempts' } });
  expect(rejected.headers['retry-after']).toBe('60');
  expect((await paste('wrong')).status).toBe(429);
  expect((await hub.ask('/api/v1/probe', { headers: hub.bearer })).status).toBe(200);
  const loggedCounts = () =>
    hub.logged
      .split('\n')
      .filter((line) => line.includes('login rejected'))
      .map((line) => (JSON.parse(line) as { count?: number }).count ?? 1);
  await until('all are logged', () => loggedCounts().reduce((sum, count) => sum + count, 0) === 10);
  expect(loggedCounts().length).toBeLessThan(10);
  expect(hub.logged).not.toContain('Bearer wrong');
});

it('behind a trusted proxy limits only the guessing client, by the forwarded address', async () => {
  await hub.dispose();
  hub = await AccessHarness.start({ SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' });
  const from = (address: string) =>
    hub.ask('/api/v1/session', {
      method: 'POST',
      json: { token: 'wrong' },
      headers: { 'x-forwarded-for': `203.0.113.99, ${address}` },
    });
  for (let i = 0; i < 10; i += 1) expect((await from('192.0.2.1')).status).toBe(401);
  expect((await from('192.0.2.1')).status).toBe(429);
  expect((await from('192.0.2.2')).status).toBe(401);
  expect(hub.logged).toContain('"remote":"192.0.2.1"');
});

it('ends when it is revoked, and listeners are notified', async () => {
  const revoked: string[] = [];
  const access = hub.app.get(AccessService);
  access.onRevoked((credentialId) => revoked.push(credentialId));
  const [login, other] = [await hub.logIn(), await hub.logIn()];
  const admit = () => access.admit(requestWith({ ...login, host: hub.host }), 'read');
  const { credentialId } = (await admit()) as { credentialId: string };

  const response = await logOut(login);
  expect(response.status).toBe(204);
  expect(response.headers['set-cookie']![0]).toMatch(/^switchboard_session_\d+=; Max-Age=0; Path=\//);
  expect(revoked).toEqual([credentialId]);
  expect((await hub.ask('/api/v1/probe', { headers: login })).status).toBe(401);
  expect((await hub.ask('/api/v1/probe', { headers: other })).status).toBe(200);
});

it('cannot be ended by a page of another origin', async () => {
  const login = await hub.logIn();
  const response = await hub.ask('/api/v1/session', {
    method: 'DELETE',
    headers: { ...login, origin: 'https://evil.example' },
  });
  expect(response.status).toBe(403);
  expect(await isLoggedIn(login)).toBe(true);
});

it('lasts 30 days while it is used', async () => {
  const login = await hub.logIn();
  for (let day = 1; day < 30; day += 1) {
    hub.clock.time += DAY_MS;
    expect(await isLoggedIn(login)).toBe(true);
  }
  hub.clock.time += DAY_MS - 1;
  expect(await isLoggedIn(login)).toBe(true);
  hub.clock.time += 1;
  expect(await isLoggedIn(login)).toBe(false);
});

it('ends after 7 days without use', async () => {
  const login = await hub.logIn();
  hub.clock.time += 7 * DAY_MS - 1;
  expect(await isLoggedIn(login)).toBe(true);
  hub.clock.time += 7 * DAY_MS;
  expect(await isLoggedIn(login)).toBe(false);
});

it('survives a restart, and so does its time of last use', async () => {
  const login = await hub.logIn();
  hub.clock.time += 6 * DAY_MS;
  expect(await isLoggedIn(login)).toBe(true);
  await restart();
  const again = { ...login, cookie: login.cookie.replace(/_\d+=/, `_${hub.port}=`) };
  hub.clock.time += 6 * DAY_MS;
  expect(await isLoggedIn(again)).toBe(true);
  await restart();
  hub.clock.time += 7 * DAY_MS;
  expect(await isLoggedIn({ ...again, cookie: again.cookie.replace(/_\d+=/, `_${hub.port}=`) })).toBe(false);
});

const DAY_MS = 86_400_000;
const isLoggedIn = async (headers: Login) => (await hub.ask('/api/v1/probe', { headers })).status === 200;

async function restart(): Promise<void> {
  await hub.close();
  await hub.open();
}
