import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { FakeCopilot, type Misbehaviour } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import {
  clearPremises,
  Gate,
  HOUR_MS,
  makePremises,
  readRows,
  Stand,
  type Premises,
} from './connection-fixture';

describe('Renewal', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    stand = await Stand.open(premises, upstream);
    await stand.connect(upstream);
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const refreshes = () =>
    upstream
      .on('POST /oauth/token')
      .map(({ body }) => new URLSearchParams(body))
      .filter((form) => form.get('grant_type') === 'refresh_token');
  const reopen = async (environment: Record<string, string> = {}) => {
    stand = await Stand.open(premises, upstream, environment);
  };
  const callDeals = async () => {
    const answer = await stand.copilot.call('GET', '/v1/deals');
    return answer.kind === 'answered' ? answer.status : answer.kind;
  };

  /** The disk refuses so many changes, after letting so many pass. */
  const failDisk = (passing: number, failing: number) => {
    const change = stand.journal.change.bind(stand.journal);
    let made = 0;
    jest.spyOn(stand.journal, 'change').mockImplementation((...given) => {
      made += 1;
      if (made <= passing || made > passing + failing) return change(...given);
      return Promise.reject(new RelayError('storage_failed', 503, 'The disk is full.'));
    });
  };

  /** The process ends while a renewal is under way. */
  const interrupt = async (how: Misbehaviour) => {
    upstream.misbehave('POST /oauth/token', how, 1);
    premises.clock.time += HOUR_MS;
    void stand.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await stand.kill();
  };

  /** Ends the daemon, and leaves behind when it was last alive. */
  const stopAt = async (beat: number) => {
    await stand.close();
    const connection = new sqliteDriver(join(premises.dataDir, 'switchboard.db'));
    connection.prepare('INSERT OR REPLACE INTO heartbeat(id, at, expecting) VALUES (1, ?, 1)').run(beat);
    connection.close();
  };

  it('happens when 80 % of the life are over, and not before', async () => {
    await stand.pass(0.8 * HOUR_MS - 1);
    expect(refreshes()).toHaveLength(0);
    await stand.pass(1);
    expect(refreshes()).toHaveLength(1);
    expect(Object.fromEntries(refreshes()[0] ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: expect.stringMatching(/^refresh-/),
      client_id: 'client-of-the-test',
      client_secret: 'client-secret-of-the-test',
    });
    expect(stand.connectionState()).toMatchObject({
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
    ['a life sent as text', '10'],
  ])('follows the life of the token, here %s', async (_, expiresIn) => {
    upstream.expiresIn = expiresIn;
    await stand.connect(upstream);
    const lifeMs = Number(expiresIn) * 1000;
    for (const number of [1, 2, 3]) {
      await stand.pass(0.8 * lifeMs - 1);
      expect(refreshes()).toHaveLength(number - 1);
      await stand.pass(1);
      expect(refreshes()).toHaveLength(number);
    }
  });

  it('is made once however many ask for the token', async () => {
    premises.clock.time += HOUR_MS;
    const statuses = await Promise.all(Array.from({ length: 20 }, callDeals));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect(refreshes()).toHaveLength(1);
  });

  it('is made once when twenty calls are refused, and each is repeated once', async () => {
    upstream.endAccessTokens();
    const statuses = await Promise.all(Array.from({ length: 20 }, callDeals));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect(refreshes()).toHaveLength(1);
    expect(upstream.on('GET /v1/deals')).toHaveLength(40);
  });

  it('is not made again for a call that was refused with the token before', async () => {
    const gate = new Gate();
    upstream.watch('GET /v1/deals', () =>
      upstream.on('GET /v1/deals').length === 1 ? gate.opened : undefined,
    );
    upstream.endAccessTokens();
    const slow = callDeals();
    await until('the first call to be sent', () => upstream.on('GET /v1/deals').length === 1);
    expect(await callDeals()).toBe(200);
    gate.open();
    expect(await slow).toBe(200);
    expect(refreshes()).toHaveLength(1);
  });

  it('follows a 401 once: a second 401 is the answer', async () => {
    upstream.misbehave('GET /v1/deals', { status: 401 });
    expect(await callDeals()).toBe(401);
    expect(refreshes()).toHaveLength(1);
    expect(upstream.on('GET /v1/deals')).toHaveLength(2);
  });

  it('keeps the old refresh token where the answer has none', async () => {
    upstream.rotatesRefreshTokens = false;
    await stand.pass(HOUR_MS);
    await stand.pass(HOUR_MS);
    const [first, second] = refreshes().map((form) => form.get('refresh_token'));
    expect(second).toBe(first);
    expect(stand.connectionState().state).toBe('connected');
  });

  it('uses the new refresh token where the answer has one, also after a restart', async () => {
    await stand.pass(HOUR_MS);
    await stand.close();
    await reopen();
    await stand.pass(HOUR_MS);
    const [first, second] = refreshes().map((form) => form.get('refresh_token'));
    expect(second).not.toBe(first);
    expect(stand.connectionState().state).toBe('connected');
  });

  it('is on record before its request is sent', async () => {
    const recorded: unknown[] = [];
    upstream.watch('POST /oauth/token', () => {
      recorded.push(...readRows(premises, 'SELECT renewal_started_at FROM grants'));
    });
    await stand.pass(HOUR_MS);
    expect(recorded).toEqual([{ renewal_started_at: premises.clock.time }]);
    expect(readRows(premises, 'SELECT renewal_started_at FROM grants')).toEqual([
      { renewal_started_at: null },
    ]);
  });

  it('is shown while it is under way', async () => {
    const states: string[] = [];
    stand.connection.onChange(() => states.push(stand.connectionState().state));
    await stand.pass(HOUR_MS);
    expect(states).toEqual(['renewing', 'connected']);
  });

  describe('that was interrupted by the end of the process', () => {
    it('is told after the restart, then tried again', async () => {
      await interrupt('hang');
      await reopen();
      expect(stand.connectionState()).toMatchObject({
        state: 'renewal_interrupted',
        sentence: expect.stringContaining('its outcome is unknown'),
      });
      await stand.pass(0);
      expect(stand.connectionState().state).toBe('connected');
    });

    it('still is told while Co-Pilot does not answer', async () => {
      await interrupt('hang');
      await reopen();
      upstream.misbehave('POST /oauth/token', 'refuse');
      await stand.pass(0);
      await stand.close();
      await reopen();
      expect(stand.connectionState().state).toBe('renewal_interrupted');
    });

    it('wants a new consent where Co-Pilot had carried it out, and says why', async () => {
      await interrupt('mute');
      await reopen();
      await stand.pass(0);
      expect(stand.connectionState()).toMatchObject({
        state: 'consent_needed',
        sentence: expect.stringContaining('after an interrupted renewal'),
      });
    });
  });

  describe('that came due while the database was not in use', () => {
    const UNUSED =
      'Its renewal came due while this database was not in use, which it last was at 2026-11-20T12:30:00.000Z';

    it('says before it is tried that a restored database may hold a used token; and what came of that', async () => {
      const backup = join(premises.dataDir, 'backup.db');
      await stopAt(premises.clock.time + HOUR_MS / 2);
      cpSync(join(premises.dataDir, 'switchboard.db'), backup);
      await reopen();
      await stand.pass(HOUR_MS);
      expect(refreshes()).toHaveLength(1);
      await stand.close();

      renameSync(backup, join(premises.dataDir, 'switchboard.db'));
      await reopen();
      expect(stand.connectionState()).toMatchObject({
        state: 'connected',
        sentence: expect.stringContaining(UNUSED),
      });
      expect(premises.logged.join('')).toContain('its refresh token may be used up');
      await stand.pass(0);
      expect(stand.connectionState()).toMatchObject({
        state: 'consent_needed',
        sentence: expect.stringMatching(
          /invalid_grant.*not used here since 2026-11-20T12:30:00.000Z: if this database was restored/,
        ),
      });
      await stand.connect(upstream);
      expect(stand.connectionState().sentence).toBe(
        'The grant is valid, and its tokens are renewed automatically.',
      );
    });

    it('says so after a long stop too, and no longer once it has worked', async () => {
      await stopAt(premises.clock.time + HOUR_MS / 2);
      premises.clock.time += 24 * HOUR_MS;
      await reopen();
      upstream.misbehave('POST /oauth/token', 'refuse', 1);
      await stand.pass(0);
      expect(stand.connectionState().sentence).toContain(UNUSED);
      await stand.pass(5_000);
      expect(stand.connectionState().sentence).toBe(
        'The grant is valid, and its tokens are renewed automatically.',
      );
    });

    it.each([
      ['that was in use after it came due', 0.9 * HOUR_MS, 24 * HOUR_MS],
      ['whose token is not due yet', 0.1 * HOUR_MS, 0.7 * HOUR_MS],
    ])('says nothing of a database %s', async (_, beatAfter, startAfter) => {
      await stopAt(premises.clock.time + beatAfter);
      premises.clock.time += startAfter;
      await reopen();
      expect(stand.connectionState().sentence).not.toContain('not in use');
    });
  });

  it('that is under way at a stop is waited for, so that its tokens are not lost', async () => {
    const gate = new Gate();
    upstream.watch('POST /oauth/token', () => gate.opened);
    premises.clock.time += HOUR_MS;
    void stand.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    let stopped = false;
    const stopping = stand.app.close().then(() => (stopped = true));
    // Without anything to wait for, stopping takes a few turns of the loop.
    for (let turn = 0; turn < 2_000; turn += 1) await nextTurn();
    expect(stopped).toBe(false);
    gate.open();
    await stopping;
    await stand.kill();
    await reopen();
    expect(stand.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
    expect(refreshes()).toHaveLength(1);
  });

  it.each<[string, Misbehaviour]>([
    ['HTML', { status: 200, body: '<html>', contentType: 'text/html' }],
    ['an HTML page with status 400', { status: 400, body: '<html>', contentType: 'text/html' }],
    ['503', { status: 503, body: { error: 'server_error' } }],
    ['a 400 of a gateway', { status: 400, body: { message: 'Bad Request' } }],
    ['invalid_request', { status: 400, body: { error: 'invalid_request' } }],
    ['a dropped connection', 'refuse'],
  ])('that meets %s is no revocation: it waits longer each time and recovers', async (_, misbehaviour) => {
    upstream.misbehave('POST /oauth/token', misbehaviour);
    await stand.pass(0.8 * HOUR_MS);
    expect(stand.connectionState()).toMatchObject({ state: 'unreachable', remedy: expect.any(String) });
    // Jitter takes off at most a fifth of 5 s, then of 10 s.
    await stand.pass(3_999);
    expect(refreshes()).toHaveLength(1);
    await stand.pass(1_001);
    expect(refreshes()).toHaveLength(2);
    await stand.pass(7_999);
    expect(refreshes()).toHaveLength(2);
    await stand.pass(2_001);
    expect(refreshes()).toHaveLength(3);

    expect(await callDeals()).toBe(200);
    upstream.behave();
    await stand.pass(20_000);
    expect(stand.connectionState().state).toBe('connected');
  });

  it('fails at most once an hour in the end', async () => {
    upstream.misbehave('POST /oauth/token', { status: 503 });
    for (let i = 0; i < 24; i += 1) await stand.pass(HOUR_MS);
    const made = refreshes().length;
    await stand.pass(0.8 * HOUR_MS - 1);
    expect(refreshes()).toHaveLength(made);
    await stand.pass(0.2 * HOUR_MS + 1);
    expect(refreshes()).toHaveLength(made + 1);
  });

  it('that is refused for long, though never for the grant, says that a new consent may help', async () => {
    upstream.misbehave('POST /oauth/token', { status: 400, body: {} });
    for (let i = 0; i < 3; i += 1) await stand.pass(HOUR_MS);
    expect(stand.connectionState()).toMatchObject({
      state: 'unreachable',
      sentence: 'The access token could not be renewed. Co-Pilot answered 400.',
      remedy: expect.not.stringContaining('connect again'),
    });
    for (let i = 0; i < 10; i += 1) await stand.pass(HOUR_MS);
    expect(stand.connectionState()).toMatchObject({
      state: 'unreachable',
      remedy: expect.stringMatching(/^The renewal is retried every hour.*connect again/),
    });
    upstream.behave();
    await stand.pass(HOUR_MS);
    expect(stand.connectionState()).toMatchObject({ state: 'connected', remedy: null });
  });

  it('that meets invalid_grant wants a new consent, and does not ask again', async () => {
    upstream.revokeGrants();
    await stand.pass(HOUR_MS);
    expect(stand.connectionState()).toMatchObject({
      state: 'consent_needed',
      sentence: 'Co-Pilot no longer accepts the grant. Co-Pilot answered 400 (invalid_grant).',
      renews_at: null,
    });
    await stand.pass(24 * HOUR_MS);
    expect(refreshes()).toHaveLength(1);
    expect(await callDeals()).toBe('no_token');

    await stand.connect(upstream);
    expect(stand.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
  });

  it('that meets invalid_client keeps the refresh token, which works again with the right secret', async () => {
    upstream.clientSecret = 'regenerated';
    await stand.pass(0.8 * HOUR_MS);
    expect(stand.connectionState()).toMatchObject({
      state: 'client_refused',
      remedy: expect.stringContaining('COPILOT_CLIENT_SECRET'),
    });
    expect(await callDeals()).toBe(200);
    await stand.close();
    await reopen({ COPILOT_CLIENT_SECRET: 'regenerated' });
    expect(stand.connectionState().state).toBe('client_refused');
    await stand.pass(0);
    expect(stand.connectionState().state).toBe('connected');
  });

  it('that ends after a new consent does not overwrite it', async () => {
    const gate = new Gate();
    upstream.watch('POST /oauth/token', ({ body }) =>
      body.includes('refresh_token=') ? gate.opened : undefined,
    );
    premises.clock.time += 0.8 * HOUR_MS;
    const renewed = stand.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await stand.connect(upstream);
    gate.open();
    await renewed;
    expect(stand.connectionState()).toMatchObject({ state: 'connected', renewed_at: null });
    await stand.close();
    await reopen();
    expect(stand.connectionState()).toMatchObject({ state: 'connected', renewed_at: null });
  });

  it('that ends after a disconnection does not bring the grant back', async () => {
    const gate = new Gate();
    upstream.watch('POST /oauth/token', ({ body }) =>
      body.includes('refresh_token=') ? gate.opened : undefined,
    );
    premises.clock.time += 0.8 * HOUR_MS;
    const renewed = stand.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await stand.connection.disconnect();
    expect(stand.connectionState()).toMatchObject({ state: 'not_connected', connected_at: null });
    gate.open();
    await renewed;
    expect(stand.connectionState().state).toBe('not_connected');
    expect(await callDeals()).toBe('no_token');
    await stand.close();
    await reopen();
    expect(stand.connectionState().state).toBe('not_connected');
    await stand.connect(upstream);
    expect(await callDeals()).toBe(200);
  });

  it('is not sent where the grant was given up while its intent was recorded', async () => {
    premises.clock.time += HOUR_MS;
    const renewed = stand.renewal.tick();
    const forgotten = stand.connection.disconnect();
    await Promise.all([renewed, forgotten]);
    expect(refreshes()).toHaveLength(0);
    expect(stand.connectionState().state).toBe('not_connected');
  });

  describe('on a disk that fails', () => {
    it('asks Co-Pilot for nothing that it could not record', async () => {
      failDisk(0, 1);
      await stand.pass(HOUR_MS);
      expect(refreshes()).toHaveLength(0);
      await stand.pass(5_000);
      expect(refreshes()).toHaveLength(1);
      expect(stand.connectionState().state).toBe('connected');
    });

    it('keeps the tokens that Co-Pilot has given, and stores them later', async () => {
      failDisk(1, 2);
      await stand.pass(HOUR_MS);
      expect(await callDeals()).toBe(200);
      await stand.pass(5_000);
      await stand.pass(5_000);
      await stand.close();
      await reopen();
      expect(stand.connectionState().state).toBe('connected');
      expect(await callDeals()).toBe(200);
      expect(refreshes()).toHaveLength(1);
    });

    it('forgets at once what is disconnected, and on the disk later', async () => {
      failDisk(0, 1);
      await expect(stand.connection.disconnect()).rejects.toMatchObject({ code: 'storage_failed' });
      expect(stand.connectionState().state).toBe('not_connected');
      await stand.pass(0);
      expect(readRows(premises, 'SELECT id FROM grants')).toEqual([]);
    });

    it('tells of a consent once it could be stored', async () => {
      let told = 0;
      stand.connection.onConnected(() => (told += 1));
      failDisk(2, 1);
      const callback = await upstream.consent(await stand.begin());
      const completed = stand.complete(Object.fromEntries(callback.searchParams));
      await expect(completed).rejects.toMatchObject({ code: 'storage_failed' });
      expect(told).toBe(0);
      await stand.pass(0);
      expect(told).toBe(1);
    });
  });

  it('is not needed where Co-Pilot gave no refresh token: the grant ends with its life', async () => {
    upstream.misbehave('POST /oauth/token', { status: 200, body: { access_token: 'access-alone' } });
    await stand.connect(upstream);
    upstream.behave();
    await stand.pass(HOUR_MS - 1);
    expect(stand.connectionState().state).toBe('connected');
    await stand.pass(1);
    expect(stand.connectionState().state).toBe('consent_needed');
    expect(refreshes()).toHaveLength(0);
  });
});
