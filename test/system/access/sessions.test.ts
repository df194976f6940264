import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { openSession, type OpenSession } from '../../../src/contract/session';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { LiveProbe, makeToken, stored } from './token-fixture';

const DAY_MS = 86_400_000;

let switchboard: Switchboard;
beforeEach(async () => {
  switchboard = await Switchboard.start();
});
afterEach(() => switchboard.end());

type Headers = [string, string][];

const list = (path = '/sessions') => switchboard.read(pageOf(openSession), path);
const isLoggedIn = async (headers: Headers) =>
  (await switchboard.wire.send('/api/v1/stats', { headers })).status === 200;
const end = (path: string, headers: Headers = switchboard.bearer) =>
  switchboard.wire.send(`/api/v1/sessions${path}`, { method: 'DELETE', headers });
const lastUse = async () => Date.parse((await list()).data[0]?.last_used_at ?? '');
const newest = async () => (await switchboard.read(pageOf(auditEntry), '/audit?limit=1')).data[0]!;

/** Logs a browser in with a link that was created with `authorization`. */
async function logIn(
  authorization = switchboard.bearer,
  agent = 'Mozilla/5.0 Firefox/140.0',
): Promise<Headers> {
  const created = await switchboard.wire.send('/api/v1/login-links', {
    method: 'POST',
    headers: authorization,
  });
  const { pathname, search } = new URL((created.json as { url: string }).url);
  const response = await switchboard.wire.send(pathname + search, { headers: [['user-agent', agent]] });
  return [
    ['cookie', response.headers['set-cookie']![0]!.split(';')[0]!],
    ['x-switchboard-request', /"switchboard-session", "([\w-]{43})"/.exec(response.text)![1]!],
    ['origin', switchboard.origin],
  ];
}

const bearer = (secret: string): Headers => [['authorization', `Bearer ${secret}`]];
const idOf = async (headers: Headers) => {
  const { json } = await switchboard.wire.send('/api/v1/sessions', { headers });
  return (json as { data: OpenSession[] }).data.find(({ current }) => current)!.id;
};

it('are listed newest first, with their credential and last use, without secrets', async () => {
  const { id, secret } = await makeToken(switchboard, ['admin'], { name: 'wall' });
  const first = await logIn();
  switchboard.clock.move(DAY_MS);
  const second = await logIn(bearer(secret), 'x'.repeat(500));
  await switchboard.wire.send('/api/v1/session', {
    method: 'POST',
    headers: [['content-type', 'application/json']],
    body: JSON.stringify({ token: switchboard.adminToken }),
  });
  const { data } = await list();
  expect(data.map(({ opened_by: by, token, address, current }) => ({ by, token, address, current }))).toEqual(
    [
      { by: 'admin_token', token: null, address: '127.0.0.1', current: false },
      { by: 'login_link', token: { id, name: 'wall' }, address: '127.0.0.1', current: false },
      { by: 'login_link', token: null, address: '127.0.0.1', current: false },
    ],
  );
  expect(data.map((session) => session.user_agent)).toEqual([
    null,
    'x'.repeat(200),
    'Mozilla/5.0 Firefox/140.0',
  ]);
  expect(Date.parse(data[2]!.last_used_at)).toBeLessThan(switchboard.clock.now() - DAY_MS / 2);
  expect(await isLoggedIn(first)).toBe(true);
  expect(Date.parse((await list()).data[2]!.last_used_at)).toBeGreaterThan(
    switchboard.clock.now() - DAY_MS / 2,
  );
  const page = await list('/sessions?limit=2');
  expect((await list(`/sessions?cursor=${page.next_cursor}`)).data.map((one) => one.id)).toEqual([
    data[2]!.id,
  ]);
  expect(await idOf(second)).toBe(data[1]!.id);
  for (const [, text] of [...first.slice(0, 2), ...second.slice(0, 2)]) {
    const half = text.slice(-43);
    for (const shown of [JSON.stringify(data), stored(switchboard), switchboard.logged])
      expect(shown.includes(half)).toBe(false);
  }
});

it('can be ended one by one: rejected at once, sockets closed, and recorded', async () => {
  const [mine, other] = [await logIn(), await logIn()];
  const id = await idOf(other);
  const probe = new LiveProbe(switchboard, other);
  expect(await probe.outcome).toBe('connected');
  const response = await end(`/${id}`, mine);
  expect([response.status, response.headers['set-cookie']]).toEqual([204, undefined]);
  await until('its socket is closed', () => probe.closed);
  expect([await isLoggedIn(mine), await isLoggedIn(other)]).toEqual([true, false]);
  expect(await newest()).toMatchObject({
    actor: { kind: 'session', id: await idOf(mine) },
    action: 'session.revoke',
    subject: { id },
  });
  expect((await end(`/${id}`)).json).toMatchObject({ status: 404, code: 'session_unknown' });
  expect((await end(`/${await idOf(mine)}`, mine)).headers['set-cookie']![0]).toContain('Max-Age=0');
});

it('can all be ended at once', async () => {
  const sessions = [await logIn(), await logIn()];
  const probes = sessions.map((headers) => new LiveProbe(switchboard, headers));
  for (const { outcome } of probes) expect(await outcome).toBe('connected');
  const { status, headers } = await end('', sessions[0]);
  expect([status, headers['set-cookie']![0]]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  await until('their sockets are closed', () => probes.every(({ closed }) => closed));
  for (const session of sessions) expect(await isLoggedIn(session)).toBe(false);
  expect((await list()).data).toEqual([]);
  expect(await newest()).toMatchObject({ action: 'session.revoke_all' });
});

it('end with the API token that created their login link, directly or through another session', async () => {
  const { id, secret } = await makeToken(switchboard, ['admin']);
  const login = await logIn(bearer(secret));
  const onward = await logIn(login);
  const [spare, operator] = [
    await switchboard.wire.send('/api/v1/login-links', { method: 'POST', headers: login }),
    await logIn(),
  ];
  const probe = new LiveProbe(switchboard, onward);
  expect(await probe.outcome).toBe('connected');
  expect((await switchboard.ask(`/tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  await until('the socket is closed', () => probe.closed);
  expect([await isLoggedIn(login), await isLoggedIn(onward), await isLoggedIn(operator)]).toEqual([
    false,
    false,
    true,
  ]);
  const { pathname, search } = new URL((spare.json as { url: string }).url);
  expect((await switchboard.wire.send(pathname + search)).status).toBe(410);
  expect((await list()).data).toHaveLength(1);
});

it('end when that API token expires', async () => {
  const expires = new Date(switchboard.clock.now() + DAY_MS).toISOString();
  const { secret } = await makeToken(switchboard, ['admin'], { expires_at: expires });
  const login = await logIn(bearer(secret));
  const probe = new LiveProbe(switchboard, login);
  expect(await probe.outcome).toBe('connected');
  expect((await list()).data[0]!.expires_at).toBe(expires);
  switchboard.clock.move(DAY_MS + 1_000);
  expect(await isLoggedIn(login)).toBe(false);
  await until('the socket is closed', () => probe.closed);
});

it('end when the admin token is replaced, and survive a restart with the same one', async () => {
  const login = await logIn();
  const restart = async (environment: Record<string, string> = {}) => {
    const before = switchboard.port;
    await switchboard.restart(environment);
    login[0]![1] = login[0]![1].replace(`_${before}=`, `_${switchboard.port}=`);
    login[2]![1] = switchboard.origin;
  };
  await restart();
  expect(await isLoggedIn(login)).toBe(true);
  await switchboard.stop();
  const { dataDir } = switchboard;
  const replaced = { SWITCHBOARD_ADMIN_TOKEN: 'another-admin-token-of-the-test' };
  await switchboard.restart(replaced);
  expect(switchboard.dataDir).toBe(dataDir);
  login[0]![1] = login[0]![1].replace(/_\d+=/, `_${switchboard.port}=`);
  expect(await isLoggedIn(login)).toBe(false);
});

it('stay active while an idle dashboard is open, but no longer than 30 days', async () => {
  const login = await logIn();
  const probe = new LiveProbe(switchboard, login);
  expect(await probe.outcome).toBe('connected');
  for (let week = 0; week < 4; week += 1) {
    switchboard.clock.move(7 * DAY_MS);
    await until('its socket counts as use', async () => (await lastUse()) > switchboard.clock.now() - DAY_MS);
  }
  switchboard.clock.move(3 * DAY_MS);
  await until('the socket is closed', () => probe.closed);
  expect(await isLoggedIn(login)).toBe(false);
});
