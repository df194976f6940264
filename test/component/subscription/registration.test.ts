import type { FakeWebhook } from '../../support/fakes/copilot-webhooks';
import { HOUR_MS } from '../../support/daemon/feature-harness';
import { keyOf, openUnconnected } from './unconnected-hub';

const MINUTE_MS = 60_000;

describe('registration', () => {
  const { harness, restart, start, settled, connect, registered, creates, ours } = openUnconnected();

  it('follows an authorization automatically', async () => {
    expect(harness.subscriptionState().state).toBe('none');
    await connect();
    expect(JSON.parse(creates()[0]?.body ?? '')).toEqual({
      url: expect.stringMatching(/^https:\/\/hub\.example\/hooks\/[\w-]{43}$/),
      events: [
        'deal.created',
        'deal.updated',
        'deal.status_changed',
        'deal.deleted',
        'contact.created',
        'contact.updated',
        'task.created',
        'task.completed',
        'scenario.executed',
        'agent.triggered',
      ],
      active: true,
      secret: expect.stringMatching(/^[\w-]{64}$/),
    });
    expect(creates()[0]?.headers['content-type']).toBe('application/json');
    const { url, webhook_id } = ours();
    expect(harness.subscriptionState()).toMatchObject({
      state: 'active',
      sentence: 'Registered and active at Co-Pilot.',
      url: `https://hub.example/hooks/${keyOf(url).slice(0, 4)}…`,
      webhook_id,
      registered_at: '2026-11-20T12:00:00.000Z',
      checked_at: '2026-11-20T12:00:00.000Z',
    });
  });

  it('waits until the daemon listens', async () => {
    await harness.connect();
    await harness.advance(HOUR_MS);
    // A stop waits for requests in progress.
    await harness.close();
    expect(creates()).toHaveLength(0);
    await start();
    expect(registered()).toHaveLength(1);
  });

  it('stores key and secret, encrypted, before its request is sent', async () => {
    const found: { state: string }[] = [];
    let validBefore: boolean | null = null;
    harness.upstream.watch('POST /v1/webhooks', ({ body }) => {
      const request: FakeWebhook = JSON.parse(body);
      found.push(...harness.readRows<{ state: string }>('SELECT state FROM subscriptions'));
      validBefore = harness.keys.byKey(keyOf(request.url))?.secret === request.secret;
    });
    await connect();
    expect(found).toEqual([{ state: 'registering' }]);
    expect(validBefore).toBe(true);
    const { url, secret } = ours();
    const [bytes, log] = [harness.storedBytes(), harness.workspace.logged.join('')];
    for (const sensitive of [keyOf(url), secret]) {
      expect(bytes.includes(sensitive)).toBe(false);
      expect(log.includes(sensitive)).toBe(false);
    }
  });

  it('that is rejected says why, and is retried', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', { status: 422, body: { message: 'url must be public' } });
    await connect();
    expect(harness.subscriptionState()).toMatchObject({
      state: 'failed',
      sentence:
        'Co-Pilot rejected the registration; it is retried automatically. Co-Pilot rejected the registration with 422: url must be public',
    });
    harness.upstream.behave();
    await harness.advance(5_000);
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it('that is answered with an error is not taken for done, although the status is 200', async () => {
    const body = { error: { message: 'limit reached' } };
    harness.upstream.misbehave('POST /v1/webhooks', { status: 200, body });
    await connect();
    expect(harness.subscriptionState().sentence).toContain('Co-Pilot responded with 200: limit reached');
    harness.upstream.behave();
    await harness.advance(5 * MINUTE_MS);
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it('updates events and active to the desired values after a restart', async () => {
    await connect();
    const { webhook_id } = ours();
    ours().active = false;
    await restart({ COPILOT_EVENTS: 'deal.created,task.created' });
    expect(ours()).toMatchObject({ webhook_id, active: true, events: ['deal.created', 'task.created'] });
    expect(harness.subscriptionState().events).toEqual(['deal.created', 'task.created']);
    expect(creates()).toHaveLength(1);
  });

  it('that was deleted at Co-Pilot is repeated with another key', async () => {
    await connect();
    const before = ours();
    harness.upstream.webhooks.clear();
    await restart();
    expect(keyOf(ours().url)).not.toBe(keyOf(before.url));
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    expect(creates()).toHaveLength(2);
    await restart();
    expect(creates()).toHaveLength(2);
  });

  it.each([
    ['403', { status: 403 }],
    ['429', { status: 429 }],
    ['500', { status: 500 }],
    ['a dropped connection', 'drop_request' as const],
  ])('is unchanged if its check fails with %s, and the problem is shown', async (_, misbehaviour) => {
    await connect();
    const before = { ...ours() };
    harness.upstream.misbehave('PATCH /v1/webhooks/:id', misbehaviour);
    await restart();
    expect(harness.subscriptionState()).toMatchObject({
      state: 'active',
      webhook_id: before.webhook_id,
      sentence: expect.stringContaining('the last check failed'),
    });
    expect(ours()).toEqual(before);
    harness.upstream.behave();
    await harness.advance(5_000);
    expect(harness.subscriptionState().sentence).toBe('Registered and active at Co-Pilot.');
    expect(creates()).toHaveLength(1);
  });

  describe('under another PUBLIC_URL', () => {
    const moved = { PUBLIC_URL: 'https://moved.example' };

    it('is repeated, and the previous webhook is deleted', async () => {
      await connect();
      const before = ours();
      await restart(moved);
      expect(ours().url).toMatch(/^https:\/\/moved\.example\/hooks\/[\w-]{43}$/);
      expect(keyOf(ours().url)).not.toBe(keyOf(before.url));
      expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      await restart(moved);
      expect(creates()).toHaveLength(2);
    });

    it('deletes the old webhook only once the new one is registered', async () => {
      await connect();
      const before = ours();
      harness.upstream.misbehave('POST /v1/webhooks', { status: 422 });
      await restart(moved);
      expect(ours()).toEqual(before);
      harness.upstream.behave();
      await harness.advance(5_000);
      expect(ours().url).toContain('moved.example');
    });

    it('retries the deletion of the old webhook', async () => {
      await connect();
      harness.upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500 });
      await restart(moved);
      expect(registered()).toHaveLength(2);
      harness.upstream.behave();
      await restart(moved);
      expect(ours().url).toContain('moved.example');
    });

    it('accepts the old key for another minute, across a restart too', async () => {
      await connect();
      const { url, secret } = ours();
      await restart(moved);
      await harness.advance(MINUTE_MS - 1);
      await restart(moved);
      expect(harness.keys.byKey(keyOf(url))?.secret).toBe(secret);
      await harness.advance(1);
      expect(harness.keys.byKey(keyOf(url))).toBeNull();
    });
  });

  it('never changes foreign webhooks', async () => {
    const foreign = [
      harness.upstream.addForeignWebhook('https://hub.example/hooks/of-another-laptop'),
      harness.upstream.addForeignWebhook('https://elsewhere.example/'),
    ].map((webhook) => ({ ...webhook }));
    await connect();
    await restart({ PUBLIC_URL: 'https://moved.example' });
    harness.upstream.webhooks.delete(harness.subscriptionState().webhook_id ?? '');
    await restart({ PUBLIC_URL: 'https://moved.example' });
    expect(registered()).toHaveLength(3);
    expect(registered().slice(0, 2)).toEqual(foreign);
    const touched = harness.upstream.requests.filter(({ path }) =>
      foreign.some(({ webhook_id }) => path.endsWith(webhook_id)),
    );
    expect(touched).toEqual([]);
  });

  it('is kept when the daemon stops', async () => {
    await connect();
    const before = { ...ours() };
    await harness.close();
    expect(registered()).toEqual([before]);
    await harness.open();
  });

  it('stays active without a valid token, while consent is needed', async () => {
    await connect();
    harness.upstream.grants.revoke();
    await harness.advance(HOUR_MS);
    expect(harness.connectionState().state).toBe('consent_needed');
    await restart();
    expect(harness.subscriptionState().state).toBe('active');
    await harness.connect();
    await settled();
    expect(creates()).toHaveLength(1);
  });
});
