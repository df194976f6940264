import { pageOf } from '../../../src/contract/page';
import { token, type TokenCreated } from '../../../src/contract/token';
import { queryStored } from '../../support/daemon/stored-data';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { openHandshake } from '../../support/handshake';
import { askWith, LiveProbe, makeToken, stored } from './token-fixture';

const MINUTE = 60_000;
const tokens = pageOf(token);

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

const revoke = (id: string) => switchboard.ask(`/tokens/${id}`, { method: 'DELETE' });
const use = (secret: string) => askWith(switchboard, secret, '/api/v1/stats');
const inAnHour = () => new Date(switchboard.clock.now() + 60 * MINUTE).toISOString();

it('is shown once; later only its last four characters are', async () => {
  const { secret, ...created } = await makeToken(switchboard, ['read'], { name: 'shown once' });
  expect(secret).toMatch(/^switchboard_[0-9a-f]{64}$/);
  expect(created).toMatchObject({
    name: 'shown once',
    scopes: ['read'],
    hint: secret.slice(-4),
    state: 'active',
  });
  const listed = await switchboard.read(tokens, '/tokens');
  expect(listed.data[0]).toEqual(created);
});

it('authenticates with its own name and scopes', async () => {
  const { secret } = await makeToken(switchboard, ['operate'], { name: 'ci' });
  expect(await askWith(switchboard, secret, '/api/v1/session')).toMatchObject({
    status: 200,
    json: { via: 'api_token', name: 'ci', scopes: ['operate'], expires_at: null },
  });
});

it('is rejected if one character differs', async () => {
  const { secret } = await makeToken(switchboard, ['read']);
  const last = secret.endsWith('0') ? '1' : '0';
  for (const wrong of [secret.slice(0, -1) + last, secret.slice(0, -1), `${secret}0`, secret.toUpperCase()])
    expect(await use(wrong)).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
});

it('does not log a browser in', async () => {
  const { secret } = await makeToken(switchboard, ['admin']);
  const response = await switchboard.ask('/session', { method: 'POST', json: { token: secret } });
  expect(response).toMatchObject({ status: 401, json: { code: 'token_rejected' } });
});

it('is rejected with a reason once it has expired', async () => {
  const { secret, id } = await makeToken(switchboard, ['read'], { expires_at: inAnHour() });
  switchboard.clock.move(59 * MINUTE);
  expect((await use(secret)).status).toBe(200);
  switchboard.clock.move(MINUTE);
  expect(await use(secret)).toMatchObject({
    status: 401,
    json: { code: 'token_expired', remedy: expect.stringContaining('Create another') },
  });
  const { data } = await switchboard.read(tokens, '/tokens');
  expect(data.find((one) => one.id === id)).toMatchObject({ state: 'expired' });
});

it('cannot be created with an expiry in the past', async () => {
  const json = {
    name: 'late',
    scopes: ['read'],
    expires_at: new Date(switchboard.clock.now()).toISOString(),
  };
  expect(await switchboard.ask('/tokens', { method: 'POST', json })).toMatchObject({
    status: 422,
    json: { code: 'token_expiry_past', errors: [{ path: 'expires_at' }] },
  });
});

it.each([
  ['no scope', { name: 'x', scopes: [] }],
  ['an unknown scope', { name: 'x', scopes: ['write'] }],
  ['no name', { name: ' ', scopes: ['read'] }],
  ['an unknown field', { name: 'x', scopes: ['read'], secret: 'y' }],
])('is not created with %s', async (_, json) => {
  expect(await switchboard.ask('/tokens', { method: 'POST', json })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request' },
  });
});

it('is rejected with a reason once it is revoked, no longer listed, and cannot be revoked again', async () => {
  const { secret, id } = await makeToken(switchboard, ['read']);
  expect((await use(secret)).status).toBe(200);
  expect((await revoke(id)).status).toBe(204);
  expect(await use(secret)).toMatchObject({ status: 401, json: { code: 'token_revoked' } });
  const { data } = await switchboard.read(tokens, '/tokens');
  expect(data.map((one) => one.id)).not.toContain(id);
  expect(await revoke(id)).toMatchObject({ status: 404, json: { code: 'token_unknown' } });
});

describe('its sockets', () => {
  it.each([
    ['read', 'connected'],
    ['listen', 'connected'],
    ['operate', 'connected'],
    ['admin', 'connected'],
  ] as const)('are accepted with the scope %s', async (scope, outcome) => {
    const { secret } = await makeToken(switchboard, [scope]);
    const probe = new LiveProbe(switchboard, secret);
    expect(await probe.outcome).toBe(outcome);
    probe.close();
  });

  it('are rejected with an invalid, revoked or expired token', async () => {
    const revoked = await makeToken(switchboard, ['read']);
    await revoke(revoked.id);
    const expired = await makeToken(switchboard, ['read'], { expires_at: inAnHour() });
    switchboard.clock.move(60 * MINUTE);
    const outcomes = [`switchboard_${'0'.repeat(64)}`, revoked.secret, expired.secret].map(async (secret) => {
      const { status, code } = await openHandshake(switchboard.port, { authorization: `Bearer ${secret}` });
      return [status, code];
    });
    expect(await Promise.all(outcomes)).toEqual([
      [401, 'unauthorized'],
      [401, 'token_revoked'],
      [401, 'token_expired'],
    ]);
  });

  it('are closed when it is revoked, and no others are', async () => {
    const [one, other] = [await makeToken(switchboard, ['listen']), await makeToken(switchboard, ['listen'])];
    const [closing, staying] = [
      new LiveProbe(switchboard, one.secret),
      new LiveProbe(switchboard, other.secret),
    ];
    expect(await Promise.all([closing.outcome, staying.outcome])).toEqual(['connected', 'connected']);
    await revoke(one.id);
    await until('the socket of the revoked token is closed', async () => closing.closed);
    expect(staying.closed).toBe(false);
    staying.close();
  });

  it('are closed when it expires', async () => {
    const { secret } = await makeToken(switchboard, ['read'], { expires_at: inAnHour() });
    const probe = new LiveProbe(switchboard, secret);
    expect(await probe.outcome).toBe('connected');
    switchboard.clock.move(60 * MINUTE);
    await until('the socket of the expired token is closed', async () => probe.closed);
  });
});

it('is stored and logged nowhere in plain text, unlike its id', async () => {
  const { secret, id } = await makeToken(switchboard, ['admin'], { name: 'nowhere to be found' });
  await use(secret);
  await revoke(id);
  const random = secret.slice('switchboard_'.length);
  expect(stored(switchboard)).toContain(id);
  expect(stored(switchboard)).not.toContain(random);
  expect(switchboard.logged).toContain(id);
  expect(switchboard.logged).not.toContain(random);
});

const storedLastUse = async (id: string) => {
  const sql = 'SELECT last_used_at AS at FROM api_tokens WHERE id = ?';
  return (await queryStored<{ at: number | null }>(switchboard.dataDir, sql, id))[0]!.at;
};

describe('its time of last use', () => {
  it('is shown immediately, saved later, and survives a restart', async () => {
    const { secret, id } = await makeToken(switchboard, ['read']);
    for (let i = 0; i < 5; i += 1) await use(secret);
    const listed = async () => (await switchboard.read(tokens, '/tokens')).data.find((one) => one.id === id);
    const shownBefore = (await listed())?.last_used_at ?? null;
    expect(shownBefore).not.toBeNull();
    expect(await storedLastUse(id)).toBeNull();

    await switchboard.stop();
    expect(new Date((await storedLastUse(id))!).toISOString()).toBe(shownBefore);
    await switchboard.restart();
    expect(await listed()).toMatchObject({ last_used_at: shownBefore });
    expect((await use(secret)).status).toBe(200);
  });

  it('is not changed by a rejected request', async () => {
    const { secret, id } = await makeToken(switchboard, ['listen']);
    expect((await use(secret)).status).toBe(403);
    const { data } = await switchboard.read(tokens, '/tokens');
    expect(data.find((one) => one.id === id)).toMatchObject({ last_used_at: null });
  });
});

it('is listed newest first, in pages', async () => {
  const created = [
    await makeToken(switchboard, ['read']),
    await makeToken(switchboard, ['read']),
    await makeToken(switchboard, ['read']),
  ];
  const first = await switchboard.read(tokens, '/tokens?limit=2');
  expect(first.data.map(({ id }) => id)).toEqual([created[2]!.id, created[1]!.id]);
  const next = await switchboard.read(tokens, `/tokens?limit=2&cursor=${first.next_cursor}`);
  expect(next.data[0]!.id).toBe(created[0]!.id);
  expect(await switchboard.ask('/tokens?cursor=evt_1')).toMatchObject({
    status: 400,
    json: { code: 'cursor_unknown' },
  });
});

it('a token that makes too many changes is limited for a minute; other tokens and its reads are not', async () => {
  const [busy, calm] = [
    await makeToken(switchboard, ['operate', 'read']),
    await makeToken(switchboard, ['operate']),
  ];
  const change = ({ secret }: TokenCreated) =>
    askWith(switchboard, secret, '/api/v1/deliveries/none/retry', { method: 'POST' });
  const statuses = new Set<number>();
  for (let i = 0; i < 600; i += 1) statuses.add((await change(busy)).status);
  expect(statuses).not.toContain(429);
  expect(await change(busy)).toMatchObject({ status: 429, json: { code: 'too_many_changes' } });
  expect((await change(calm)).status).toBe([...statuses][0]);
  expect((await askWith(switchboard, busy.secret, '/api/v1/targets')).status).toBe(200);
  switchboard.clock.move(60_000);
  expect((await change(busy)).status).toBe([...statuses][0]);
});
