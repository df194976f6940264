import { GrantStore } from '../../../src/relay/connection/grant.store';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Leadership } from '../../../src/relay/ground/leadership';
import { systemRandom } from '../../../src/relay/ground/random';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { type Misbehaviour } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { Gate, HOUR_MS, useFeatureHarness } from '../../support/daemon/feature-harness';

describe('token renewal', () => {
  const harness = useFeatureHarness();
  beforeEach(async () => {
    await harness.open();
    await harness.connect();
  });

  const refreshes = () =>
    harness.upstream
      .on('POST /oauth/token')
      .map(({ body }) => new URLSearchParams(body))
      .filter((form) => form.get('grant_type') === 'refresh_token');
  const callDeals = async () => {
    const result = await harness.copilot.call('GET', '/v1/deals');
    return result.kind === 'response' ? result.status : result.kind;
  };

  /** Rejects `failing` changes after the first `passing` ones. */
  const failDisk = (passing: number, failing: number) => {
    const change = harness.journal.change.bind(harness.journal);
    let changes = 0;
    jest.spyOn(harness.journal, 'change').mockImplementation((...given) => {
      changes += 1;
      if (changes <= passing || changes > passing + failing) return change(...given);
      return Promise.reject(new RelayError('storage_failed', 503, 'The disk is full.'));
    });
  };

  /** Kills the process during a renewal. */
  const interrupt = async (how: Misbehaviour) => {
    harness.upstream.misbehave('POST /oauth/token', how, 1);
    harness.workspace.clock.time += HOUR_MS;
    void harness.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await harness.kill();
  };

  /** Stops the daemon, with `beat` as its last heartbeat. */
  const stopAt = async (beat: number) => {
    await harness.close();
    const connection = new sqliteDriver(join(harness.workspace.dataDir, 'switchboard.db'));
    connection.prepare('INSERT OR REPLACE INTO heartbeat(id, at, expecting) VALUES (1, ?, 1)').run(beat);
    connection.close();
  };

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
    harness.upstream.expiresIn = expiresIn;
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
    harness.upstream.expireAccessTokens();
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
    harness.upstream.expireAccessTokens();
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
    harness.upstream.rotatesRefreshTokens = false;
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

  describe('that was interrupted by a crash', () => {
    it('is reported after the restart, then retried', async () => {
      await interrupt('hang');
      await harness.open();
      expect(harness.connectionState()).toMatchObject({
        state: 'renewal_interrupted',
        sentence: expect.stringContaining('its outcome is unknown'),
      });
      await harness.advance(0);
      expect(harness.connectionState().state).toBe('connected');
    });

    it('is still reported while Co-Pilot does not respond', async () => {
      await interrupt('hang');
      await harness.open();
      harness.upstream.misbehave('POST /oauth/token', 'drop_request');
      await harness.advance(0);
      await harness.close();
      await harness.open();
      expect(harness.connectionState().state).toBe('renewal_interrupted');
    });

    it('requires a new consent if Co-Pilot had processed it, and says why', async () => {
      await interrupt('mute');
      await harness.open();
      await harness.advance(0);
      expect(harness.connectionState()).toMatchObject({
        state: 'consent_needed',
        sentence: expect.stringContaining('after an interrupted renewal'),
      });
    });
  });

  describe('that came due while the database was not in use', () => {
    const UNUSED =
      'Its renewal came due while this database was not in use; the last use was at 2026-11-20T12:30:00.000Z';

    it('warns before its request that a restored database may contain a used token, and reports the result', async () => {
      const backup = join(harness.workspace.dataDir, 'backup.db');
      await stopAt(harness.workspace.clock.time + HOUR_MS / 2);
      cpSync(join(harness.workspace.dataDir, 'switchboard.db'), backup);
      await harness.open();
      await harness.advance(HOUR_MS);
      expect(refreshes()).toHaveLength(1);
      await harness.close();

      renameSync(backup, join(harness.workspace.dataDir, 'switchboard.db'));
      await harness.open();
      expect(harness.connectionState()).toMatchObject({
        state: 'connected',
        sentence: expect.stringContaining(UNUSED),
      });
      expect(harness.workspace.logged.join('')).toContain('its refresh token may be used up');
      await harness.advance(0);
      expect(harness.connectionState()).toMatchObject({
        state: 'consent_needed',
        sentence: expect.stringMatching(
          /invalid_grant.*not used here since 2026-11-20T12:30:00.000Z: if this database was restored/,
        ),
      });
      await harness.connect();
      expect(harness.connectionState().sentence).toBe(
        'The grant is valid, and its tokens are renewed automatically.',
      );
    });

    it('warns after a long stop too, until it succeeds', async () => {
      await stopAt(harness.workspace.clock.time + HOUR_MS / 2);
      harness.workspace.clock.time += 24 * HOUR_MS;
      await harness.open();
      harness.upstream.misbehave('POST /oauth/token', 'drop_request', 1);
      await harness.advance(0);
      expect(harness.connectionState().sentence).toContain(UNUSED);
      await harness.advance(5_000);
      expect(harness.connectionState().sentence).toBe(
        'The grant is valid, and its tokens are renewed automatically.',
      );
    });

    it.each([
      ['that was in use after it came due', 0.9 * HOUR_MS, 24 * HOUR_MS],
      ['whose token is not due yet', 0.1 * HOUR_MS, 0.7 * HOUR_MS],
    ])('does not warn about a database %s', async (_, beatAfter, startAfter) => {
      await stopAt(harness.workspace.clock.time + beatAfter);
      harness.workspace.clock.time += startAfter;
      await harness.open();
      expect(harness.connectionState().sentence).not.toContain('not in use');
    });
  });

  it('that is in progress delays the stop, so that its tokens are not lost', async () => {
    const gate = new Gate();
    harness.upstream.watch('POST /oauth/token', () => gate.opened);
    harness.workspace.clock.time += HOUR_MS;
    void harness.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    let stopped = false;
    const stopping = harness.app.close().then(() => (stopped = true));
    // Without a pending renewal, stopping takes a few turns of the event loop.
    for (let turn = 0; turn < 2_000; turn += 1) await nextTurn();
    expect(stopped).toBe(false);
    gate.open();
    await stopping;
    await harness.kill();
    await harness.open();
    expect(harness.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
    expect(refreshes()).toHaveLength(1);
  });

  it.each<[string, Misbehaviour]>([
    ['HTML', { status: 200, body: '<html>', contentType: 'text/html' }],
    ['an HTML page with status 400', { status: 400, body: '<html>', contentType: 'text/html' }],
    ['503', { status: 503, body: { error: 'server_error' } }],
    ['a 400 of a gateway', { status: 400, body: { message: 'Bad Request' } }],
    ['invalid_request', { status: 400, body: { error: 'invalid_request' } }],
    ['a dropped connection', 'drop_request'],
  ])('that fails with %s does not revoke the grant: it backs off and recovers', async (_, misbehaviour) => {
    harness.upstream.misbehave('POST /oauth/token', misbehaviour);
    await harness.advance(0.8 * HOUR_MS);
    expect(harness.connectionState()).toMatchObject({ state: 'unreachable', remedy: expect.any(String) });
    // Jitter shortens the pauses of 5 s and 10 s by at most a fifth.
    await harness.advance(3_999);
    expect(refreshes()).toHaveLength(1);
    await harness.advance(1_001);
    expect(refreshes()).toHaveLength(2);
    await harness.advance(7_999);
    expect(refreshes()).toHaveLength(2);
    await harness.advance(2_001);
    expect(refreshes()).toHaveLength(3);

    expect(await callDeals()).toBe(200);
    harness.upstream.behave();
    await harness.advance(20_000);
    expect(harness.connectionState().state).toBe('connected');
  });

  it('is retried once an hour in the end', async () => {
    harness.upstream.misbehave('POST /oauth/token', { status: 503 });
    for (let i = 0; i < 24; i += 1) await harness.advance(HOUR_MS);
    const before = refreshes().length;
    await harness.advance(0.8 * HOUR_MS - 1);
    expect(refreshes()).toHaveLength(before);
    await harness.advance(0.2 * HOUR_MS + 1);
    expect(refreshes()).toHaveLength(before + 1);
  });

  it('that is rejected for hours, but not because of the grant, suggests a new consent', async () => {
    harness.upstream.misbehave('POST /oauth/token', { status: 400, body: {} });
    for (let i = 0; i < 3; i += 1) await harness.advance(HOUR_MS);
    expect(harness.connectionState()).toMatchObject({
      state: 'unreachable',
      sentence: 'The access token could not be renewed. Co-Pilot responded with 400.',
      remedy: expect.not.stringContaining('connect again'),
    });
    for (let i = 0; i < 10; i += 1) await harness.advance(HOUR_MS);
    expect(harness.connectionState()).toMatchObject({
      state: 'unreachable',
      remedy: expect.stringMatching(/^The renewal is retried every hour.*connect again/),
    });
    harness.upstream.behave();
    await harness.advance(HOUR_MS);
    expect(harness.connectionState()).toMatchObject({ state: 'connected', remedy: null });
  });

  it('that fails with invalid_grant requires a new consent, and is not retried', async () => {
    harness.upstream.revokeGrants();
    await harness.advance(HOUR_MS);
    expect(harness.connectionState()).toMatchObject({
      state: 'consent_needed',
      sentence: 'Co-Pilot no longer accepts the grant. Co-Pilot responded with 400 (invalid_grant).',
      renews_at: null,
    });
    await harness.advance(24 * HOUR_MS);
    expect(refreshes()).toHaveLength(1);
    expect(await callDeals()).toBe('no_token');

    await harness.connect();
    expect(harness.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
  });

  it.each<[string, Misbehaviour]>([
    [
      'a status of 200',
      { status: 200, body: { error: 'invalid_grant', error_description: 'It was revoked.' } },
    ],
    [
      'a form',
      {
        status: 200,
        body: 'error=invalid_grant&error_description=It+was+revoked.',
        contentType: 'text/plain',
      },
    ],
  ])('that fails with invalid_grant in %s requires a new consent, too', async (_, misbehaviour) => {
    harness.upstream.misbehave('POST /oauth/token', misbehaviour);
    await harness.advance(HOUR_MS);
    expect(harness.connectionState()).toMatchObject({
      state: 'consent_needed',
      sentence: expect.stringMatching(/Co-Pilot responded with 200 \(invalid_grant\): It was revoked\.$/),
    });
  });

  it('that fails keeps the pause that Co-Pilot asks for, and gives advice that fits', async () => {
    harness.upstream.misbehave('POST /oauth/token', { status: 429, headers: { 'retry-after': '300' } });
    await harness.advance(0.8 * HOUR_MS);
    expect(harness.connectionState().remedy).not.toContain('network');
    await harness.advance(299_000);
    expect(refreshes()).toHaveLength(1);
    harness.upstream.misbehave('POST /oauth/token', 'drop_request');
    await harness.advance(1_000);
    expect(refreshes()).toHaveLength(2);
    expect(harness.connectionState().remedy).toContain('network');
  });

  it('that fails with invalid_client keeps the refresh token, which works again with the right secret', async () => {
    harness.upstream.clientSecret = 'regenerated';
    await harness.advance(0.8 * HOUR_MS);
    expect(harness.connectionState()).toMatchObject({
      state: 'client_rejected',
      remedy: expect.stringContaining('COPILOT_CLIENT_SECRET'),
    });
    expect(await callDeals()).toBe(200);
    await harness.close();
    await harness.open({ COPILOT_CLIENT_SECRET: 'regenerated' });
    expect(harness.connectionState().state).toBe('client_rejected');
    await harness.advance(0);
    expect(harness.connectionState().state).toBe('connected');
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

  describe('on a failing disk', () => {
    it('sends no request that it could not record', async () => {
      failDisk(0, 1);
      await harness.advance(HOUR_MS);
      expect(refreshes()).toHaveLength(0);
      await harness.advance(5_000);
      expect(refreshes()).toHaveLength(1);
      expect(harness.connectionState().state).toBe('connected');
    });

    it('keeps new tokens in memory, and stores them later', async () => {
      failDisk(1, 2);
      await harness.advance(HOUR_MS);
      expect(await callDeals()).toBe(200);
      await harness.advance(5_000);
      await harness.advance(5_000);
      await harness.close();
      await harness.open();
      expect(harness.connectionState().state).toBe('connected');
      expect(await callDeals()).toBe(200);
      expect(refreshes()).toHaveLength(1);
    });

    it('forgets a disconnected grant immediately, and deletes it from the disk later', async () => {
      failDisk(0, 1);
      await expect(harness.connection.disconnect()).rejects.toMatchObject({ code: 'storage_failed' });
      expect(harness.connectionState().state).toBe('not_connected');
      await harness.advance(0);
      expect(harness.readRows('SELECT id FROM grants')).toEqual([]);
    });

    it('publishes a new grant once it is stored', async () => {
      let published = 0;
      harness.app.get(GrantStore).onConnected(() => (published += 1));
      failDisk(2, 1);
      const callback = await harness.upstream.consent(await harness.startAuthorization());
      const completed = harness.completeAuthorization(Object.fromEntries(callback.searchParams));
      await expect(completed).rejects.toMatchObject({ code: 'storage_failed' });
      expect(published).toBe(0);
      await harness.advance(0);
      expect(published).toBe(1);
    });
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
