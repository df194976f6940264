import { AccessService } from '../../../src/relay/access/access.service';
import { until } from '../../support/until';
import { cookieOf, Hub, requestWith, type Login } from './start-hub';

let hub: Hub;
beforeEach(async () => {
  hub = await Hub.start();
});
afterEach(() => hub.stop());

const ALL = ['read', 'operate', 'listen', 'admin'];
const paste = (token: unknown) => hub.ask('/api/v1/session', { method: 'POST', json: { token } });
const leave = (login: Login) =>
  hub.ask('/api/v1/session', {
    method: 'DELETE',
    headers: { ...login, origin: hub.origin },
  });

it('says who is in', async () => {
  expect((await hub.ask('/api/v1/session')).status).toBe(401);
  expect((await hub.ask('/api/v1/session', { headers: hub.bearer })).json).toEqual({
    via: 'token',
    name: null,
    scopes: ALL,
    expires_at: null,
    sandbox: false,
  });
  const login = await hub.logIn();
  const expires = new Date(hub.clock.now() + 30 * 86_400_000).toISOString();
  expect((await hub.ask('/api/v1/session', { headers: login })).json).toEqual({
    via: 'session',
    name: null,
    scopes: ALL,
    expires_at: expires,
    sandbox: false,
  });
});

it('opens with the admin token', async () => {
  const answer = await paste(hub.adminToken);
  expect(answer).toMatchObject({
    status: 201,
    json: { via: 'session', secret: expect.stringMatching(/^[\w-]{43}$/) },
  });
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(cookieOf(answer)).toMatch(new RegExp(`^switchboard_session_${hub.port}=[\\w-]{43}$`));
});

it('does not open with anything else', async () => {
  const wrong = await paste(`${hub.adminToken}x`);
  expect(wrong).toMatchObject({ status: 401, json: { code: 'token_refused' } });
  expect(wrong.headers['set-cookie']).toBeUndefined();
  expect(await paste(7)).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', errors: [{ path: 'token', message: expect.any(String) }] },
  });
});

it('makes a guesser wait after ten wrong tokens in a minute, and lets the right one in all the same', async () => {
  for (let i = 0; i < 10; i += 1) {
    expect((await paste(`wrong ${i}`)).status).toBe(401);
    hub.clock.time += 1_000;
  }
  const refused = await paste('wrong again');
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many_attempts' } });
  expect(refused.headers['retry-after']).toBe('50');
  expect((await paste(hub.adminToken)).status).toBe(201);
});

it('counts wrong bearer tokens as well, at every door', async () => {
  const authorization = 'Bearer wrong';
  const probe = () => hub.ask('/api/v1/probe', { headers: { authorization } });
  for (let i = 0; i < 10; i += 1) expect((await probe()).status).toBe(401);
  const refused = await probe();
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many_attempts' } });
  expect(refused.headers['retry-after']).toBe('60');
  expect((await paste('wrong')).status).toBe(429);
  expect((await hub.ask('/api/v1/probe', { headers: hub.bearer })).status).toBe(200);
  const told = () =>
    hub.logged
      .split('\n')
      .filter((line) => line.includes('login refused'))
      .map((line) => (JSON.parse(line) as { count?: number }).count ?? 1);
  await until('all are told', () => told().reduce((sum, count) => sum + count, 0) === 10);
  expect(told().length).toBeLessThan(10);
  expect(hub.logged).not.toContain('Bearer wrong');
});

it('behind a trusted proxy holds up nobody but who guesses, by the address that the proxy tells', async () => {
  await hub.stop();
  hub = await Hub.start({ trustedProxies: '127.0.0.0/8' });
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

it('ends for good when it is revoked, and whoever holds something open for it is told', async () => {
  const revoked: string[] = [];
  const access = hub.app.get(AccessService);
  access.onRevoked((credentialId) => revoked.push(credentialId));
  const [login, other] = [await hub.logIn(), await hub.logIn()];
  const admit = () => access.admit(requestWith({ ...login, host: hub.host }), 'read');
  const { credentialId } = (await admit()) as { credentialId: string };

  const answer = await leave(login);
  expect(answer.status).toBe(204);
  expect(answer.headers['set-cookie']![0]).toMatch(/^switchboard_session_\d+=; Max-Age=0; Path=\//);
  expect(revoked).toEqual([credentialId]);
  expect((await hub.ask('/api/v1/probe', { headers: login })).status).toBe(401);
  expect((await hub.ask('/api/v1/probe', { headers: other })).status).toBe(200);
});

it('cannot be ended by a foreign page', async () => {
  const login = await hub.logIn();
  const answer = await hub.ask('/api/v1/session', {
    method: 'DELETE',
    headers: { ...login, origin: 'https://evil.example' },
  });
  expect(answer.status).toBe(403);
  expect(await isIn(login)).toBe(true);
});

it('lasts 30 days, if it is used', async () => {
  const login = await hub.logIn();
  for (let day = 1; day < 30; day += 1) {
    hub.clock.time += DAY_MS;
    expect(await isIn(login)).toBe(true);
  }
  hub.clock.time += DAY_MS - 1;
  expect(await isIn(login)).toBe(true);
  hub.clock.time += 1;
  expect(await isIn(login)).toBe(false);
});

it('ends after 7 days without use', async () => {
  const login = await hub.logIn();
  hub.clock.time += 7 * DAY_MS - 1;
  expect(await isIn(login)).toBe(true);
  hub.clock.time += 7 * DAY_MS;
  expect(await isIn(login)).toBe(false);
});

it('outlives a restart, and is as long unused after it as before', async () => {
  const login = await hub.logIn();
  hub.clock.time += 6 * DAY_MS;
  expect(await isIn(login)).toBe(true);
  await restart();
  const again = { ...login, cookie: login.cookie.replace(/_\d+=/, `_${hub.port}=`) };
  hub.clock.time += 6 * DAY_MS;
  expect(await isIn(again)).toBe(true);
  await restart();
  hub.clock.time += 7 * DAY_MS;
  expect(await isIn({ ...again, cookie: again.cookie.replace(/_\d+=/, `_${hub.port}=`) })).toBe(false);
});

const DAY_MS = 86_400_000;
const isIn = async (headers: Login) => (await hub.ask('/api/v1/probe', { headers })).status === 200;

async function restart(): Promise<void> {
  const { dataDir, clock } = hub;
  await hub.stop({ keepData: true });
  hub = await Hub.start({ dataDir, clock });
}
