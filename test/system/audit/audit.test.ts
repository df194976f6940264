import { auditEntry, type AuditEntry } from '../../../src/contract/audit';
import { loginLink } from '../../../src/contract/session';
import { pageOf } from '../../../src/contract/page';
import { target as targetSchema } from '../../../src/contract/target';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { askWith, makeToken, stored } from '../access/token-fixture';

let switchboard: Switchboard;
let receiver: RecordingTarget;
const startReceiver = useReceivers();
beforeAll(async () => {
  receiver = await startReceiver();
  switchboard = await Switchboard.start({
    environment: {
      SWITCHBOARD_TARGETS: `ready=${receiver.url}`,
      SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  });
});
afterAll(() => switchboard.end());

const log = (query = '') => switchboard.read(pageOf(auditEntry), `/audit${query}`);
const newest = async (): Promise<AuditEntry> => (await log('?limit=1')).data[0]!;
const post = (path: string, json?: unknown) =>
  switchboard.ask(path, { method: 'POST', ...(json === undefined ? {} : { json }) });

it('records actor, action, subject, time, address and the names of submitted fields, but not their values', async () => {
  const before = switchboard.clock.now();
  const target = await switchboard.addTarget('books', receiver.url, ['*'], {
    headers: [{ name: 'x-key', value: 'value-kept-secret', secret: true }],
  });
  const entry = await newest();
  expect(entry).toEqual({
    id: expect.stringMatching(/^aud_\d+$/),
    at: expect.any(String),
    actor: { kind: 'admin_token', id: null, name: null },
    action: 'target.create',
    subject: { id: target.id, name: 'books' },
    fields: ['name', 'url', 'events', 'headers'],
    secret_shown: true,
    address: '127.0.0.1',
    error: null,
  });
  expect(new Date(entry.at).getTime()).toBeGreaterThanOrEqual(before);
  expect(new Date(entry.at).getTime()).toBeLessThanOrEqual(switchboard.clock.now());
  expect(JSON.stringify(await log())).not.toContain('value-kept-secret');
  expect(stored(switchboard)).not.toContain('value-kept-secret');
  await switchboard.removeTarget(target);
  expect(await newest()).toMatchObject({
    action: 'target.remove',
    subject: { id: target.id, name: 'books' },
  });
});

it('records the address that a trusted proxy forwards', async () => {
  const headers: [string, string][] = [['forwarded', 'for=203.0.113.5, for="[2001:db8::7]:4711"']];
  await switchboard.ask('/subscription/repair', { method: 'POST', headers });
  expect(await newest()).toMatchObject({ action: 'subscription.repair', address: '2001:db8::7' });
});

it('distinguishes tokens by name, sessions, the command line and the admin token', async () => {
  const { id, secret } = await makeToken(switchboard, ['operate', 'admin'], { name: 'ci of the shop' });
  expect(await newest()).toMatchObject({
    action: 'token.create',
    subject: { id, name: 'ci of the shop' },
    secret_shown: true,
  });
  await askWith(switchboard, secret, '/api/v1/subscription/repair', { method: 'POST' });
  expect(await newest()).toMatchObject({
    actor: { kind: 'api_token', id, name: 'ci of the shop' },
    action: 'subscription.repair',
  });
  await switchboard.ask('/login-links', {
    method: 'POST',
    headers: [['user-agent', 'switchboard-cli/0.0.0']],
  });
  expect((await newest()).actor.kind).toBe('admin_token');
  const { version } = (await switchboard.ask('/settings')).json as { version: string };
  const agent: [string, string] = ['user-agent', `switchboard-cli/${version}`];
  const link = await switchboard.read(loginLink, '/login-links', { method: 'POST', headers: [agent] });
  expect(await newest()).toMatchObject({
    actor: { kind: 'command_line' },
    action: 'login_link.create',
    secret_shown: true,
  });

  const { pathname, search } = new URL(link.url);
  const response = await switchboard.wire.send(pathname + search);
  const cookie = response.headers['set-cookie']![0]!.split(';')[0]!;
  const half = /"switchboard-session", "([\w-]{43})"/.exec(response.text)![1]!;
  const opened = await newest();
  expect(opened).toMatchObject({ actor: { kind: 'login_link' }, action: 'session.open' });
  const page: [string, string][] = [
    ['cookie', cookie],
    ['origin', `http://127.0.0.1:${switchboard.port}`],
    ['x-switchboard-request', half],
  ];
  await switchboard.wire.send(`/api/v1/tokens/${id}`, { method: 'DELETE', headers: page });
  expect(await newest()).toMatchObject({
    actor: { kind: 'session', id: opened.subject!.id },
    action: 'token.revoke',
    subject: { id, name: 'ci of the shop' },
  });
  await switchboard.wire.send('/api/v1/session', { method: 'DELETE', headers: page });
  expect(await newest()).toMatchObject({ actor: { kind: 'session' }, action: 'session.close' });
});

it('records actions of Switchboard itself: creating targets from the settings, disabling a target that answered 410', async () => {
  expect((await log('?actor=switchboard&action=target.create')).data).toMatchObject([
    { actor: { kind: 'switchboard' }, subject: { name: 'ready' }, address: null },
  ]);
  receiver.respondWith(410);
  await switchboard.emit('deal.created', { id: 1 });
  const disabled = async () => (await log('?actor=switchboard&action=target.disable')).data;
  await until('it is recorded', async () => (await disabled()).length > 0);
  expect(await disabled()).toMatchObject([{ subject: { name: 'ready' }, error: null }]);
});

it('records when a consent is requested and when it is given', async () => {
  const { data } = await log('?action=connection.*');
  expect(data.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['connection.connect', 'browser'],
    ['connection.ask_consent', 'admin_token'],
  ]);
});

it('records neither reads nor rejected requests', async () => {
  const before = await newest();
  await switchboard.ask('/events');
  await post('/targets/preview', { events: ['*'], filter: null });
  await post('/ledger');
  expect((await post('/targets', { name: 'x' })).status).toBe(400);
  expect((await post('/targets/tgt_00000000000000000000000000/pause')).status).toBe(404);
  expect((await post('/session', { token: 'wrong' })).status).toBe(401);
  expect((await switchboard.wire.send('/login?token=wrong')).status).toBe(410);
  expect((await switchboard.wire.send('/oauth/callback?state=wrong&code=wrong')).status).toBe(400);
  expect((await switchboard.wire.send('/api/v1/targets', { method: 'POST' })).status).toBe(401);
  expect((await newest()).id).toBe(before.id);
});

it('records each change once, and nothing that did not change', async () => {
  const { id } = await switchboard.addTarget('once', receiver.url, ['*']);
  for (const act of ['pause', 'resume']) await post(`/targets/${id}/${act}`);
  await switchboard.ask(`/targets/${id}`, { method: 'PATCH', json: { name: 'twice' } });
  await post(`/targets/${id}/secret/rotate`, {});
  await post(`/targets/${id}/test`);
  const { data } = await log(`?subject=${id}`);
  expect(data.map(({ action, fields, secret_shown: shown }) => [action, fields, shown])).toEqual([
    ['target.test', [], false],
    ['target.rotate_secret', [], true],
    ['target.change', ['name'], false],
    ['target.resume', [], false],
    ['target.pause', [], false],
    ['target.create', ['name', 'url', 'events'], true],
  ]);
});

it('names only the fields of a target that a change really changed', async () => {
  const { id } = await switchboard.addTarget('same', receiver.url, ['deal.*'], {
    headers: [{ name: 'x-key', value: 'value-kept-secret', secret: true }],
  });
  const { events, policy } = await switchboard.read(targetSchema, `/targets/${id}`);
  const change = async (json: object) => {
    expect(await switchboard.ask(`/targets/${id}`, { method: 'PATCH', json })).toMatchObject({ status: 200 });
    return (await newest()).fields;
  };
  const headers = [{ name: 'x-key', secret: true }];
  const given = { name: 'same', events, policy, headers, enabled: false };
  expect(await change(given)).toEqual(['enabled']);
  expect(await change(given)).toEqual([]);
  expect(await change({ ...given, policy: { concurrency: policy.concurrency + 1 } })).toEqual(['policy']);
  expect(await change({ headers: [{ ...headers[0], value: 'value-kept-secret-too' }] })).toEqual(['headers']);
  expect(await change({ new_secret: true })).toEqual(['new_secret']);
});

it('can be filtered, and is listed newest first, in pages', async () => {
  const all = (await log('?limit=200')).data;
  const numbers = all.map(({ id }) => Number(id.slice(4)));
  expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));

  const paged: AuditEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: AuditEntry[]; next_cursor: string | null } = await log(
      `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    paged.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(all);

  const shown = await log('?secret_shown=true&limit=200');
  expect(shown.data).toEqual(all.filter((entry) => entry.secret_shown));
  const targets = await log('?action=target.*&limit=200');
  expect(targets.data).toEqual(all.filter(({ action }) => action.startsWith('target.')));
  const since = all[2]!.at;
  expect((await log(`?since=${since}&limit=200`)).data).toEqual(all.filter(({ at }) => at >= since));
  expect((await log(`?until=${since}&limit=200`)).data).toEqual(all.filter(({ at }) => at < since));
  expect(await switchboard.ask('/audit?cursor=evt_1')).toMatchObject({
    status: 400,
    json: { code: 'cursor_unknown' },
  });
});

it('survives a restart', async () => {
  const before = (await log()).data;
  await switchboard.restart();
  const after = (await log('?limit=200')).data;
  expect(after.filter(({ id }) => before.some((entry) => entry.id === id))).toEqual(before);
});
