import { Leadership } from '../../../src/relay/ground/leadership';
import { systemRandom } from '../../../src/relay/ground/random';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { until } from '../../support/until';
import { Gate, HOUR_MS } from '../../support/daemon/feature-harness';
import { openForRenewal } from './renewal-steps';

describe('token renewal', () => {
  const { harness, refreshes, callDeals } = openForRenewal();

  it('happens after 80 % of the token lifetime, not before', async () => {
    await harness.advance(0.8 * HOUR_MS - 1);
    expect(refreshes()).toHaveLength(0);
    await harness.advance(1);
    expect(refreshes()).toHaveLength(1);
    expect(Object.fromEntries(refreshes()[0] ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: expect.stringMatching(/^refresh-/),
      client_id: 'client-of-the-test',
      client_secret: 'client-secret-of-the-test',
    });
    expect(harness.connectionState()).toMatchObject({
      state: 'connected',
      renewed_at: '2026-11-20T12:48:00.000Z',
      expires_at: '2026-11-20T13:48:00.000Z',
      renews_at: '2026-11-20T13:36:00.000Z',
    });
    expect(await callDeals()).toBe(200);
  });

  it.each([
    ['5 s', 5],
    ['an hour', 3600],
    ['30 days', 30 * 86_400],
    ['a lifetime sent as text', '10'],
  ])('follows the lifetime of the token: %s', async (_, expiresIn) => {
    harness.upstream.grants.expiresIn = expiresIn;
    await harness.connect();
    const lifeMs = Number(expiresIn) * 1000;
    for (const number of [1, 2, 3]) {
      await harness.advance(0.8 * lifeMs - 1);
      expect(refreshes()).toHaveLength(number - 1);
      await harness.advance(1);
      expect(refreshes()).toHaveLength(number);
    }
  });

  it('counts the lifetime of a token from its request, as the clock may be set ahead before the response', async () => {
    const { clock } = harness.workspace;
    harness.upstream.watch('POST /oauth/token', () => {
      if (refreshes().length === 1) clock.jumped += 40 * 24 * HOUR_MS;
    });
    await harness.advance(HOUR_MS);
    await harness.advance(0);
    expect(refreshes()).toHaveLength(2);
    await harness.advance(0);
    expect(refreshes()).toHaveLength(2);
  });

  it('happens once for concurrent calls', async () => {
    harness.workspace.clock.time += HOUR_MS;
    const statuses = await Promise.all(Array.from({ length: 20 }, callDeals));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect(refreshes()).toHaveLength(1);
  });

  it('happens once if concurrent calls are rejected, and each call is retried once', async () => {
    harness.upstream.grants.expireAccess();
    const statuses = await Promise.all(Array.from({ length: 20 }, callDeals));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect(refreshes()).toHaveLength(1);
    expect(harness.upstream.on('GET /v1/deals')).toHaveLength(40);
  });

  it('does not happen again for a call that was rejected with the previous token', async () => {
    const gate = new Gate();
    harness.upstream.watch('GET /v1/deals', () =>
      harness.upstream.on('GET /v1/deals').length === 1 ? gate.opened : undefined,
    );
    harness.upstream.grants.expireAccess();
    const slow = callDeals();
    await until('the first call to be sent', () => harness.upstream.on('GET /v1/deals').length === 1);
    expect(await callDeals()).toBe(200);
    gate.open();
    expect(await slow).toBe(200);
    expect(refreshes()).toHaveLength(1);
  });

  it('follows a 401 once; a second 401 is returned', async () => {
    harness.upstream.misbehave('GET /v1/deals', { status: 401 });
    expect(await callDeals()).toBe(401);
    expect(refreshes()).toHaveLength(1);
    expect(harness.upstream.on('GET /v1/deals')).toHaveLength(2);
  });

  it('keeps the refresh token if the response has none', async () => {
    harness.upstream.grants.rotatesRefreshTokens = false;
    await harness.advance(HOUR_MS);
    await harness.advance(HOUR_MS);
    const [first, second] = refreshes().map((form) => form.get('refresh_token'));
    expect(second).toBe(first);
    expect(harness.connectionState().state).toBe('connected');
  });

  it('uses the new refresh token if the response has one, after a restart too', async () => {
    await harness.advance(HOUR_MS);
    await harness.close();
    await harness.open();
    await harness.advance(HOUR_MS);
    const [first, second] = refreshes().map((form) => form.get('refresh_token'));
    expect(second).not.toBe(first);
    expect(harness.connectionState().state).toBe('connected');
  });

  it('is recorded before its request is sent', async () => {
    const recorded: unknown[] = [];
    harness.upstream.watch('POST /oauth/token', () => {
      recorded.push(...harness.readRows('SELECT renewal_started_at FROM grants'));
    });
    await harness.advance(HOUR_MS);
    expect(recorded).toEqual([{ renewal_started_at: harness.workspace.clock.time }]);
    expect(harness.readRows('SELECT renewal_started_at FROM grants')).toEqual([{ renewal_started_at: null }]);
  });

  it('is shown until the new tokens are stored', async () => {
    const states: string[] = [];
    const record = () => states.push(harness.connectionState().state);
    harness.connection.onChange(record);
    const change = harness.journal.change.bind(harness.journal);
    jest.spyOn(harness.journal, 'change').mockImplementation((...given) => {
      record();
      return change(...given);
    });
    await harness.advance(HOUR_MS);
    expect(states).toEqual(['connected', 'renewing', 'renewing', 'connected']);
  });

  it('that ends after a new consent does not overwrite it', async () => {
    const gate = new Gate();
    harness.upstream.watch('POST /oauth/token', ({ body }) =>
      body.includes('refresh_token=') ? gate.opened : undefined,
    );
    harness.workspace.clock.time += 0.8 * HOUR_MS;
    const renewed = harness.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await harness.connect();
    gate.open();
    await renewed;
    expect(harness.connectionState()).toMatchObject({ state: 'connected', renewed_at: null });
    await harness.close();
    await harness.open();
    expect(harness.connectionState()).toMatchObject({ state: 'connected', renewed_at: null });
  });

  it('that ends after a disconnection does not restore the grant', async () => {
    const gate = new Gate();
    harness.upstream.watch('POST /oauth/token', ({ body }) =>
      body.includes('refresh_token=') ? gate.opened : undefined,
    );
    harness.workspace.clock.time += 0.8 * HOUR_MS;
    const renewed = harness.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await harness.connection.disconnect();
    expect(harness.connectionState()).toMatchObject({ state: 'not_connected', connected_at: null });
    gate.open();
    await renewed;
    expect(harness.connectionState().state).toBe('not_connected');
    expect(await callDeals()).toBe('no_token');
    await harness.close();
    await harness.open();
    expect(harness.connectionState().state).toBe('not_connected');
    await harness.connect();
    expect(await callDeals()).toBe(200);
  });

  it('is not sent if the grant is disconnected while its intent is being recorded', async () => {
    harness.workspace.clock.time += HOUR_MS;
    const renewed = harness.renewal.tick();
    const disconnected = harness.connection.disconnect();
    await Promise.all([renewed, disconnected]);
    expect(refreshes()).toHaveLength(0);
    expect(harness.connectionState().state).toBe('not_connected');
  });

  it('is not requested while another daemon may lead', async () => {
    const holdsLease = jest.spyOn(harness.app.get(Leadership), 'holdsLease').mockReturnValue(false);
    await harness.advance(HOUR_MS);
    expect(refreshes()).toHaveLength(0);
    holdsLease.mockRestore();
    await harness.advance(HOUR_MS);
    expect(refreshes()).toHaveLength(1);
  });

  it('uses the tokens that another daemon has stored meanwhile', async () => {
    const sealer = new Sealer(Buffer.alloc(32, 7), systemRandom);
    const tokens = JSON.stringify({ accessToken: 'access-other', refreshToken: 'refresh-other' });
    const sealed = sealer.seal(tokens, 'grants.tokens');
    await harness.journal.change({ statements: [['UPDATE grants SET tokens = ?', [sealed]]] });
    await harness.advance(HOUR_MS);
    await harness.advance(0);
    expect(refreshes().map((form) => form.get('refresh_token'))).toEqual(['refresh-other']);
  });

  it('is impossible without a refresh token: the grant ends when the access token expires', async () => {
    harness.upstream.misbehave('POST /oauth/token', { status: 200, body: { access_token: 'access-alone' } });
    await harness.connect();
    harness.upstream.behave();
    const { expires_at: end } = harness.connectionState();
    expect(harness.connectionState()).toMatchObject({
      state: 'connected',
      sentence: `The access to Co-Pilot ends at ${end}: Co-Pilot gave no refresh token, so it cannot be renewed.`,
      remedy: expect.stringContaining('developer panel'),
      ends_at: end,
      renews_at: null,
    });
    await harness.advance(HOUR_MS - 1);
    expect(harness.connectionState().state).toBe('connected');
    await harness.advance(1);
    expect(harness.connectionState()).toMatchObject({
      state: 'consent_needed',
      sentence: 'The access to Co-Pilot has ended. Co-Pilot gave no refresh token.',
      ends_at: null,
    });
    expect(refreshes()).toHaveLength(0);
  });
});
