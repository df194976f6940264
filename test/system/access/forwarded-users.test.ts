import { io } from 'socket.io-client';
import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { PROXY_SECRET, PROXY_SETTINGS, ReverseProxy } from '../../support/fakes/reverse-proxy';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { freePort } from '../../support/free-port';
import { openHandshake } from '../../support/handshake';
import { HttpClient, type TestRequest } from '../../support/http';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const USERS = {
  vera: 'viewer',
  otto: 'operator',
  ada: 'admin',
  olga: 'staff, Operator',
  nils: '',
  root: 'superuser',
};
type UserName = keyof typeof USERS;

let proxy: ReverseProxy;
let switchboard: Switchboard;
let browser: HttpClient;

beforeAll(async () => {
  const port = await freePort();
  proxy = await ReverseProxy.start(`http://127.0.0.1:${port}`, USERS);
  switchboard = await Switchboard.start({
    environment: { ...PROXY_SETTINGS, PORT: String(port), PUBLIC_URL: proxy.url },
  });
  browser = new HttpClient(proxy.port);
});
afterAll(async () => {
  browser.close();
  await switchboard.end();
  await proxy.close();
});

/** What the dashboard's pages send through the proxy. */
const pageHeaders = (user: UserName): Record<string, string> => ({
  host: `localhost:${proxy.port}`,
  origin: proxy.url,
  cookie: proxy.cookieOf(user),
  'x-switchboard-request': 'none',
});
const through = (user: UserName, path: string, request: TestRequest = {}) =>
  browser.send(`/api/v1${path}`, { headers: pageHeaders(user), ...request });
const addTarget = (user: UserName, name: string, headers = pageHeaders(user)) =>
  through(user, '/targets', {
    method: 'POST',
    headers,
    json: { name, url: 'http://127.0.0.1:9/', events: ['none.*'] },
  });

/** A change with some headers of the page missing or different. */
const changeAs = async (without: string[], more: Record<string, string> = {}) => {
  const kept = Object.entries(pageHeaders('otto')).filter(([name]) => !without.includes(name));
  const { status, json } = await addTarget('otto', 'forged', { ...Object.fromEntries(kept), ...more });
  return [status, (json as { code: string }).code];
};

/** Sends a wrong token through the proxy, from an address of its own. */
const guess = async (from: string, claimed: Record<string, string>) => {
  const client = new HttpClient(proxy.port, from);
  const headers = { authorization: 'Bearer wrong', ...claimed };
  const { status } = await client.send('/api/v1/events', { headers });
  client.close();
  return status;
};

/** Everything that an operator can have sent to an address of their choice. */
const deliveries = async () => {
  const receiver = await RecordingTarget.start();
  for (const format of ['json', 'slack']) {
    const { status } = await through('otto', '/targets/test', {
      method: 'POST',
      json: { url: receiver.url, format, headers: [{ name: 'X-Mine', value: 'yes', secret: false }] },
    });
    expect(status).toBe(200);
  }
  const sent = receiver.hits.map(({ headers }) => headers as Record<string, string>);
  await receiver.close();
  expect(sent.map((headers) => headers['x-mine'])).toEqual(['yes', 'yes']);
  return sent;
};

describe('a user whom a trusted proxy names', () => {
  it.each([
    ['vera', ['read']],
    ['otto', ['read', 'operate']],
    ['olga', ['read', 'operate']],
    ['ada', ['read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin']],
  ] as const)('%s has the scopes of the role', async (user, scopes) => {
    const { status, json } = await through(user, '/session');
    expect(status).toBe(200);
    expect(json).toMatchObject({ via: 'user', name: user, scopes, expires_at: null });
  });

  it('may do what the role permits, and is told what is missing', async () => {
    expect((await through('vera', '/events')).status).toBe(200);
    expect(await addTarget('vera', 'of vera')).toMatchObject({
      status: 403,
      json: { code: 'scope_missing', detail: expect.stringContaining('the user "vera"') },
    });
    expect((await addTarget('otto', 'of otto')).status).toBe(201);
    expect((await through('otto', '/audit')).status).toBe(403);
    expect((await through('ada', '/audit')).status).toBe(200);
  });

  it('is named in the audit log, with the address of the browser', async () => {
    const response = await addTarget('otto', 'audited');
    const { data } = await switchboard.read(pageOf(auditEntry), '/audit?actor=user&actor_id=otto&limit=1');
    expect(data[0]).toMatchObject({
      actor: { kind: 'user', id: 'otto', name: 'otto' },
      action: 'target.create',
      subject: { id: (response.json as { id: string }).id },
      address: '127.0.0.1',
    });
  });

  it('is missed where the proxy names nobody, which the response says', async () => {
    const { cookie: _, ...headers } = pageHeaders('vera');
    const response = await through('vera', '/events', { headers });
    expect(response).toMatchObject({
      status: 401,
      json: { detail: expect.stringContaining('the proxy named no user') },
    });
    const direct = new HttpClient(switchboard.port);
    const { json } = await direct.send('/api/v1/events', { headers });
    expect((json as { detail: string }).detail).not.toContain('proxy');
    direct.close();
  });

  it('is refused without a known role, and without a unique name', async () => {
    expect(await through('nils', '/events')).toMatchObject({ status: 403, json: { code: 'user_rejected' } });
    expect(await through('root', '/events')).toMatchObject({ status: 403, json: { code: 'user_rejected' } });
    const asProxy = new HttpClient(switchboard.port, '127.0.0.2');
    const twice: [string, string][] = [
      ['host', `localhost:${proxy.port}`],
      ['x-switchboard-request', 'none'],
      ['x-proxy-secret', PROXY_SECRET['x-proxy-secret']],
      ['remote-user', 'ada'],
      ['remote-role', 'admin'],
      ['remote-role', 'viewer'],
    ];
    expect(await asProxy.send('/api/v1/events', { headers: twice })).toMatchObject({
      status: 403,
      json: { code: 'user_rejected', detail: 'The proxy sent a user header twice.' },
    });
    const once = twice.slice(0, -1);
    expect((await asProxy.send('/api/v1/events', { headers: once })).status).toBe(200);
    const changed = (name: string, change: (value: string) => string) =>
      once.map(([key, value]): [string, string] => [key, key === name ? change(value) : value]);
    for (const refused of [
      once.filter(([name]) => name !== 'x-proxy-secret'),
      [...once, once[2]!],
      changed('x-proxy-secret', (secret) => secret.slice(1)),
      changed('x-proxy-secret', (secret) => secret.toUpperCase()),
      // White space that HTTP does not know.
      changed('remote-role', (role) => `${role}\u00a0`),
      changed('remote-user', (name) => `${name}\u00a0`),
    ])
      expect(await asProxy.send('/api/v1/events', { headers: refused })).toMatchObject({
        status: 403,
        json: { code: 'user_rejected' },
      });
    asProxy.close();
  });

  it('cannot create a login link, whose session would outlive the access at the proxy', async () => {
    expect(await through('ada', '/login-links', { method: 'POST' })).toMatchObject({
      status: 403,
      json: { code: 'login_link_for_user' },
    });
  });

  it('can start the consent by a link', async () => {
    const { 'x-switchboard-request': _, origin: __, ...link } = pageHeaders('ada');
    const page = await browser.send('/oauth/connect', { headers: link });
    expect({ status: page.status, text: page.text }).toMatchObject({
      status: 200,
      text: expect.stringContaining('Redirecting to Co-Pilot'),
    });
    const start = (user: UserName) =>
      browser.send('/oauth/connect', { method: 'POST', headers: pageHeaders(user) });
    expect((await start('ada')).status).toBe(201);
    expect((await start('otto')).status).toBe(403);
  });
});

describe('a forged user', () => {
  const forged = { ...PROXY_SECRET, 'remote-user': 'ada', 'remote-role': 'admin' };

  it('is ignored if the peer is not the proxy', async () => {
    const headers = { ...pageHeaders('vera'), ...forged };
    expect((await switchboard.wire.send('/api/v1/session', { headers })).status).toBe(401);
    const handshake = await openHandshake(switchboard.port, headers);
    expect(handshake).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('does not pass the proxy', async () => {
    const session = await through('vera', '/session', { headers: { ...pageHeaders('vera'), ...forged } });
    expect(session.json).toMatchObject({ name: 'vera', scopes: ['read'] });
    const { cookie: _, ...signedOut } = pageHeaders('vera');
    expect((await through('vera', '/session', { headers: { ...signedOut, ...forged } })).status).toBe(401);
  });

  it('cannot come from the daemon itself, whose targets have headers of the operator’s choice', async () => {
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '[::ffff:127.0.0.1]']) {
      const response = await through('otto', '/targets', {
        method: 'POST',
        json: {
          name: 'loop',
          url: `http://${host}:${switchboard.port}/api/v1/tokens`,
          headers: [{ name: 'Remote-User', value: 'ada', secret: false }],
        },
      });
      expect(response).toMatchObject({ status: 422, json: { code: 'own_intake' } });
    }
  });
});

describe('a delivery that reaches the daemon from the address of the proxy', () => {
  it('acts for no user and no session, whatever its other headers are', async () => {
    const asProxy = new HttpClient(switchboard.port, '127.0.0.2');
    const { cookie: _, ...page } = pageHeaders('ada');
    const named = { ...page, ...PROXY_SECRET, 'remote-user': 'ada', 'remote-role': 'admin' };
    for (const {
      'content-length': __,
      'transfer-encoding': ___,
      connection: ____,
      ...sent
    } of await deliveries()) {
      expect(await asProxy.send('/api/v1/session', { headers: { ...sent, ...named } })).toMatchObject({
        status: 403,
        json: { code: 'delivery_rejected' },
      });
      const handshake = await openHandshake(switchboard.port, { ...sent, ...named }, '127.0.0.2');
      expect(handshake).toMatchObject({ status: 403, code: 'delivery_rejected' });
      const bearer = { ...sent, authorization: switchboard.bearer[0]![1] };
      expect((await asProxy.send('/api/v1/session', { headers: bearer })).status).toBe(200);
    }
    asProxy.close();
  });
});

describe('a page of another site', () => {
  it('cannot change anything as the user', async () => {
    expect(await changeAs([], { origin: 'https://evil.example' })).toEqual([403, 'origin_rejected']);
    expect(await changeAs(['origin'])).toEqual([403, 'origin_rejected']);
    expect(await changeAs(['x-switchboard-request'])).toEqual([403, 'request_header_missing']);
    expect(await changeAs([], { host: 'evil.example' })).toEqual([403, 'host_rejected']);
  });

  it('cannot read or listen as the user', async () => {
    const { 'x-switchboard-request': _, ...withoutHeader } = pageHeaders('otto');
    expect(await through('otto', '/events', { headers: withoutHeader })).toMatchObject({
      status: 403,
      json: { code: 'request_header_missing' },
    });
    const handshake = await openHandshake(proxy.port, {
      ...pageHeaders('otto'),
      origin: 'https://evil.example',
    });
    expect(handshake).toMatchObject({ status: 403, code: 'origin_rejected' });
  });
});

it('the live socket of a user opens through the proxy, and passes it again after an hour', async () => {
  const { host, origin, cookie } = pageHeaders('vera');
  const socket = io(`${proxy.url}/live`, {
    transports: ['websocket'],
    reconnection: false,
    extraHeaders: { host: host!, origin: origin!, cookie: cookie! },
  });
  try {
    const kinds = new Set<string>();
    socket.onAny((kind: string) => kinds.add(kind));
    await until('the state arrives', () => kinds.has('counters'));
    switchboard.clock.move(59 * 60_000);
    kinds.clear();
    await until('it is still sent', () => kinds.has('counters'));
    switchboard.clock.move(2 * 60_000);
    await until('it is closed', () => socket.disconnected);
  } finally {
    socket.close();
  }
});

it('wrong tokens are counted for each client of the proxy, whatever addresses it claims', async () => {
  for (let i = 0; i < 10; i += 1)
    expect(await guess('127.0.0.5', { 'x-forwarded-for': `192.0.2.${i}, 127.0.0.2` })).toBe(401);
  expect(await guess('127.0.0.5', { 'x-forwarded-for': '192.0.2.99' })).toBe(429);
  expect(await guess('127.0.0.6', { 'x-forwarded-for': '127.0.0.5' })).toBe(401);
  expect(switchboard.logged).toContain('"remote":"127.0.0.5"');
  expect(switchboard.logged).not.toContain('"remote":"192.0.2.');
});
