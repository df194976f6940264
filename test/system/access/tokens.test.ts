import { pageOf } from '../../../src/contract/page';
import { token, type TokenCreated } from '../../../src/contract/token';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { shakeHands } from '../../support/handshake';
import { askWith, LiveProbe, makeToken, stored } from './token-fixture';

const MINUTE = 60_000;
const tokens = pageOf(token);

let board: Switchboard;
beforeAll(async () => {
  board = await Switchboard.start();
});
afterAll(() => board.end());

const revoke = (id: string) => board.ask(`/tokens/${id}`, { method: 'DELETE' });
const use = (secret: string) => askWith(board, secret, '/api/v1/stats');
const inAnHour = () => new Date(board.clock.now() + 60 * MINUTE).toISOString();

it('is shown once, and told by its last four characters from then on', async () => {
  const { secret, ...made } = await makeToken(board, ['read'], { name: 'shown once' });
  expect(secret).toMatch(/^switchboard_[0-9a-f]{64}$/);
  expect(made).toMatchObject({
    name: 'shown once',
    scopes: ['read'],
    hint: secret.slice(-4),
    state: 'active',
  });
  const listed = await board.read(tokens, '/tokens');
  expect(listed.data[0]).toEqual(made);
});

it('lets in what it was made for, as itself', async () => {
  const { secret } = await makeToken(board, ['operate'], { name: 'ci' });
  expect(await askWith(board, secret, '/api/v1/session')).toMatchObject({
    status: 200,
    json: { via: 'api_token', name: 'ci', scopes: ['operate'], expires_at: null },
  });
});

it('is refused with one character changed', async () => {
  const { secret } = await makeToken(board, ['read']);
  const last = secret.endsWith('0') ? '1' : '0';
  for (const wrong of [secret.slice(0, -1) + last, secret.slice(0, -1), `${secret}0`, secret.toUpperCase()])
    expect(await use(wrong)).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
});

it('does not log a browser in', async () => {
  const { secret } = await makeToken(board, ['admin']);
  const answer = await board.ask('/session', { method: 'POST', json: { token: secret } });
  expect(answer).toMatchObject({ status: 401, json: { code: 'token_refused' } });
});

it('is refused once it has expired, and says so', async () => {
  const { secret, id } = await makeToken(board, ['read'], { expires_at: inAnHour() });
  board.clock.move(59 * MINUTE);
  expect((await use(secret)).status).toBe(200);
  board.clock.move(MINUTE);
  expect(await use(secret)).toMatchObject({
    status: 401,
    json: { code: 'token_expired', remedy: expect.stringContaining('Make another') },
  });
  const { data } = await board.read(tokens, '/tokens');
  expect(data.find((one) => one.id === id)).toMatchObject({ state: 'expired' });
});

it('cannot be made expired already', async () => {
  const json = { name: 'late', scopes: ['read'], expires_at: new Date(board.clock.now()).toISOString() };
  expect(await board.ask('/tokens', { method: 'POST', json })).toMatchObject({
    status: 422,
    json: { code: 'token_expiry_past', errors: [{ path: 'expires_at' }] },
  });
});

it.each([
  ['no scope', { name: 'x', scopes: [] }],
  ['an unknown scope', { name: 'x', scopes: ['write'] }],
  ['no name', { name: ' ', scopes: ['read'] }],
  ['an unknown field', { name: 'x', scopes: ['read'], secret: 'y' }],
])('is not made with %s', async (_, json) => {
  expect(await board.ask('/tokens', { method: 'POST', json })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request' },
  });
});

it('is refused once it is revoked, and says so; it is listed no more, and cannot be revoked again', async () => {
  const { secret, id } = await makeToken(board, ['read']);
  expect((await use(secret)).status).toBe(200);
  expect((await revoke(id)).status).toBe(204);
  expect(await use(secret)).toMatchObject({ status: 401, json: { code: 'token_revoked' } });
  const { data } = await board.read(tokens, '/tokens');
  expect(data.map((one) => one.id)).not.toContain(id);
  expect(await revoke(id)).toMatchObject({ status: 404, json: { code: 'token_unknown' } });
});

describe('its sockets', () => {
  it.each([
    ['read', 'connected'],
    ['listen', 'connected'],
    ['operate', 'connected'],
    ['admin', 'connected'],
  ] as const)('are opened with %s', async (scope, outcome) => {
    const { secret } = await makeToken(board, [scope]);
    const probe = new LiveProbe(board, secret);
    expect(await probe.outcome).toBe(outcome);
    probe.close();
  });

  it('are refused under a token that is none, revoked or expired', async () => {
    const revoked = await makeToken(board, ['read']);
    await revoke(revoked.id);
    const expired = await makeToken(board, ['read'], { expires_at: inAnHour() });
    board.clock.move(60 * MINUTE);
    const outcomes = [`switchboard_${'0'.repeat(64)}`, revoked.secret, expired.secret].map(async (secret) => {
      const { status, code } = await shakeHands(board.port, { authorization: `Bearer ${secret}` });
      return [status, code];
    });
    expect(await Promise.all(outcomes)).toEqual([
      [401, 'unauthorized'],
      [401, 'token_revoked'],
      [401, 'token_expired'],
    ]);
  });

  it('are closed within a second of its being revoked, and no others', async () => {
    const [one, other] = [await makeToken(board, ['listen']), await makeToken(board, ['listen'])];
    const [closing, staying] = [new LiveProbe(board, one.secret), new LiveProbe(board, other.secret)];
    expect(await Promise.all([closing.outcome, staying.outcome])).toEqual(['connected', 'connected']);
    await revoke(one.id);
    await until('the socket of the revoked token is closed', async () => closing.closed, 1_000);
    expect(staying.closed).toBe(false);
    staying.close();
  });

  it('are closed when it expires', async () => {
    const { secret } = await makeToken(board, ['read'], { expires_at: inAnHour() });
    const probe = new LiveProbe(board, secret);
    expect(await probe.outcome).toBe('connected');
    board.clock.move(60 * MINUTE);
    await until('the socket of the expired token is closed', async () => probe.closed, 1_000);
  });
});

it('is found on no disk and in no log; both know its id', async () => {
  const { secret, id } = await makeToken(board, ['admin'], { name: 'nowhere to be found' });
  await use(secret);
  await revoke(id);
  const random = secret.slice('switchboard_'.length);
  expect(stored(board)).toContain(id);
  expect(stored(board)).not.toContain(random);
  expect(board.logged).toContain(id);
  expect(board.logged).not.toContain(random);
});

const written = (id: string) => {
  const connection = new sqliteDriver(`${board.dataDir}/switchboard.db`, { readonly: true });
  const row = connection.prepare('SELECT last_used_at AS at FROM api_tokens WHERE id = ?').get(id);
  connection.close();
  return (row as { at: number | null }).at;
};

describe('when it was last used', () => {
  it('is told at once, written later, and kept over a restart', async () => {
    const { secret, id } = await makeToken(board, ['read']);
    for (let i = 0; i < 5; i += 1) await use(secret);
    const listed = async () => (await board.read(tokens, '/tokens')).data.find((one) => one.id === id);
    const told = (await listed())?.last_used_at ?? null;
    expect(told).not.toBeNull();
    expect(written(id)).toBeNull();

    await board.stop();
    expect(new Date(written(id)!).toISOString()).toBe(told);
    board = await Switchboard.start({ after: board });
    expect(await listed()).toMatchObject({ last_used_at: told });
    expect((await use(secret)).status).toBe(200);
  });

  it('is not moved by a refusal', async () => {
    const { secret, id } = await makeToken(board, ['listen']);
    expect((await use(secret)).status).toBe(403);
    const { data } = await board.read(tokens, '/tokens');
    expect(data.find((one) => one.id === id)).toMatchObject({ last_used_at: null });
  });
});

it('lists newest first, a page at a time', async () => {
  const made = [
    await makeToken(board, ['read']),
    await makeToken(board, ['read']),
    await makeToken(board, ['read']),
  ];
  const first = await board.read(tokens, '/tokens?limit=2');
  expect(first.data.map(({ id }) => id)).toEqual([made[2]!.id, made[1]!.id]);
  const next = await board.read(tokens, `/tokens?limit=2&cursor=${first.next_cursor}`);
  expect(next.data[0]!.id).toBe(made[0]!.id);
  expect(await board.ask('/tokens?cursor=evt_1')).toMatchObject({
    status: 400,
    json: { code: 'cursor_unknown' },
  });
});

it('a token that changes something over and over is stopped for a minute; others, and its reads, are not', async () => {
  const [busy, calm] = [await makeToken(board, ['operate', 'read']), await makeToken(board, ['operate'])];
  const act = ({ secret }: TokenCreated) =>
    askWith(board, secret, '/api/v1/deliveries/none/retry', { method: 'POST' });
  const statuses = new Set<number>();
  for (let i = 0; i < 600; i += 1) statuses.add((await act(busy)).status);
  expect(statuses).not.toContain(429);
  expect(await act(busy)).toMatchObject({ status: 429, json: { code: 'too_many_changes' } });
  expect((await act(calm)).status).toBe([...statuses][0]);
  expect((await askWith(board, busy.secret, '/api/v1/targets')).status).toBe(200);
  board.clock.move(60_000);
  expect((await act(busy)).status).toBe([...statuses][0]);
});
