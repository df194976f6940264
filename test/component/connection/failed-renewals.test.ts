import { GrantStore } from '../../../src/relay/connection/grant.store';
import type { Misbehaviour } from '../../support/fakes/copilot-requests';
import { HOUR_MS } from '../../support/daemon/feature-harness';
import { openForRenewal } from './renewal-steps';

describe('token renewal', () => {
  const { harness, refreshes, callDeals, failDisk } = openForRenewal();

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
    harness.upstream.grants.revoke();
    await harness.advance(HOUR_MS);
    expect(harness.connectionState()).toMatchObject({
      state: 'consent_needed',
      sentence:
        'Co-Pilot no longer accepts the authorization: it was revoked there, or it has expired. Co-Pilot responded with 400 (invalid_grant).',
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
});
