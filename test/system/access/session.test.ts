import { EventEmitter, once } from 'node:events';
import { hashToken } from '../../../src/relay/access/hash-token';
import { AccessService, SessionEntity, SessionsService } from '../../harness/built';
import { cookieOf, Hub, requestWith } from './start-hub';

let hub: Hub;
beforeEach(async () => {
  hub = await Hub.start();
});
afterEach(() => hub.stop());

const ALL = ['read', 'operate', 'listen', 'admin'];
const tokenIn = (cookie: string) => cookie.split('=')[1]!;
const paste = (token: unknown) => hub.ask('/api/v1/session', { method: 'POST', json: { token } });
const leave = (cookie: string) =>
  hub.ask('/api/v1/session', {
    method: 'DELETE',
    headers: { cookie, origin: hub.origin, 'x-switchboard-request': '1' },
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
  const cookie = await hub.logIn();
  const expires = new Date(hub.clock.now() + 30 * 86_400_000).toISOString();
  expect((await hub.ask('/api/v1/session', { headers: { cookie } })).json).toEqual({
    via: 'session',
    name: null,
    scopes: ALL,
    expires_at: expires,
    sandbox: false,
  });
});

it('opens with the admin token', async () => {
  const answer = await paste(hub.adminToken);
  expect(answer).toMatchObject({ status: 201, json: { via: 'session' } });
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
  const lines = hub.logged.split('\n').filter((line) => line.includes('login refused'));
  expect(lines).toHaveLength(10);
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
  const [cookie, other] = [await hub.logIn(), await hub.logIn()];
  const sessionId = hashToken(tokenIn(cookie));
  expect(await access.admit(requestWith({ cookie, host: hub.host }), 'read')).toMatchObject({
    credentialId: sessionId,
  });

  const answer = await leave(cookie);
  expect(answer.status).toBe(204);
  expect(answer.headers['set-cookie']![0]).toMatch(/^switchboard_session_\d+=; Max-Age=0; Path=\//);
  expect(revoked).toEqual([sessionId]);
  expect((await hub.ask('/api/v1/probe', { headers: { cookie } })).status).toBe(401);
  expect((await hub.ask('/api/v1/probe', { headers: { cookie: other } })).status).toBe(200);
  expect(await hub.app.get(SessionsService).find(tokenIn(cookie))).toBeNull();
});

it('cannot be ended by a foreign page', async () => {
  const cookie = await hub.logIn();
  const answer = await hub.ask('/api/v1/session', {
    method: 'DELETE',
    headers: { cookie, origin: 'https://evil.example', 'x-switchboard-request': '1' },
  });
  expect(answer.status).toBe(403);
  expect((await hub.ask('/api/v1/probe', { headers: { cookie } })).status).toBe(200);
});

it('lasts 30 days', async () => {
  const cookie = await hub.logIn();
  hub.clock.time += 30 * 86_400_000 - 1;
  expect((await hub.ask('/api/v1/probe', { headers: { cookie } })).status).toBe(200);
  hub.clock.time += 1;
  expect((await hub.ask('/api/v1/probe', { headers: { cookie } })).status).toBe(401);
});

it('outlives a restart', async () => {
  const token = tokenIn(await hub.logIn());
  const { dataDir, clock } = hub;
  await hub.stop({ keepData: true });
  hub = await Hub.start({ dataDir, clock });
  const cookie = `switchboard_session_${hub.port}=${token}`;
  expect((await hub.ask('/api/v1/probe', { headers: { cookie } })).status).toBe(200);
});

it('is read once, however often it asks; what cannot be a token is not looked up', async () => {
  const cookie = await hub.logIn();
  const reads = jest.spyOn(hub.source.getRepository(SessionEntity), 'findOneBy');
  for (let i = 0; i < 5; i += 1) {
    expect((await hub.ask('/api/v1/probe', { headers: { cookie } })).status).toBe(200);
  }
  expect(await hub.app.get(SessionsService).find('no token')).toBeNull();
  expect(reads).toHaveBeenCalledTimes(1);
});

it('is not remembered when it is revoked while it is being read', async () => {
  const token = tokenIn(await hub.logIn());
  const sessions = hub.app.get(SessionsService);
  const repository = hub.source.getRepository(SessionEntity);
  const stored = await repository.findOneBy({ tokenHash: hashToken(token) });
  const gate = new EventEmitter();
  jest.spyOn(repository, 'findOneBy').mockImplementationOnce(async () => {
    await once(gate, 'open');
    return stored;
  });
  const found = sessions.find(token);
  await sessions.revoke(hashToken(token));
  gate.emit('open');
  expect(await found).toBeNull();
  expect(await sessions.find(token)).toBeNull();
});
