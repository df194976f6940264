import { until } from '../../support/until';
import { HOUR_MS } from '../../support/daemon/feature-harness';
import { keyOf, openUnconnected } from './unconnected-hub';

const MINUTE_MS = 60_000;
/** Retries of Co-Pilot may still be pending this long after a start (document, 6.3: 5 + 25 s). */
const RETRY_WINDOW_MS = 30_000;

describe('registration', () => {
  const { harness, restart, start, connect, registered, creates, ours } = openUnconnected();

  /** Kills the process during the request, and starts it again. */
  const interrupt = async (how: 'mute' | 'hang') => {
    harness.upstream.misbehave('POST /v1/webhooks', how, 1);
    harness.listen();
    await harness.connect();
    await until('the request to be sent', () => creates().length === 1);
    await harness.kill();
    await start();
    await harness.advance(HOUR_MS);
  };

  /**
   * Every webhook sends a notification: if the list shows none, only that distinguishes them. The operator then deletes
   * those that are reported.
   */
  const notifyAndCleanUp = async () => {
    for (const { url, webhook_id } of registered()) {
      const { subscriptionId } = harness.keys.byKey(keyOf(url))!;
      harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, webhook_id);
      await harness.advance(0);
    }
    await harness.advance(5 * MINUTE_MS);
    for (const { webhook_id } of harness.subscriptionState().reported)
      await harness.actions.deleteReported(webhook_id);
  };

  it.each(['record', 'data', 'webhook', 'empty', 'html'] as const)(
    'happens once across restarts if the response to a create is: %s',
    async (shape) => {
      harness.upstream.webhookApi.createResponse = shape;
      await connect();
      const { webhook_id, url } = ours();
      expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id });
      const restarts = shape === 'record' ? 10 : 2;
      for (let i = 0; i < restarts; i += 1) await restart();
      expect(creates()).toHaveLength(1);
      expect(ours()).toMatchObject({ webhook_id, url, active: true });
      expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id });
    },
  );

  it('learns its id from the first notification if neither create nor list contains it', async () => {
    harness.upstream.webhookApi.createResponse = 'empty';
    harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
    await connect();
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: null });
    const { url, webhook_id } = ours();
    const { subscriptionId } = harness.keys.byKey(keyOf(url))!;
    harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, webhook_id);
    await until('the id to be stored', () => harness.subscriptionState().webhook_id === webhook_id);
    await restart();
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id });
    expect(creates()).toHaveLength(1);
  });

  describe('that was interrupted', () => {
    it('after its request, is found in the list and adopted', async () => {
      await interrupt('mute');
      expect(creates()).toHaveLength(1);
      expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      expect(harness.keys.byKey(keyOf(ours().url))?.secret).toBe(ours().secret);
    });

    it('before its request had any effect, is sent again with the same key and secret', async () => {
      await interrupt('hang');
      const [first, second] = creates().map(({ body }) => body);
      expect(second).toBe(first);
      expect(creates()).toHaveLength(2);
      expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    });
  });

  describe('that was interrupted while the list does not show it', () => {
    it.each(['hang', 'mute', 'answered', 'stored'] as const)(
      'at the point %s, ends with one webhook after the operator deletes the other',
      async (point) => {
        harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
        if (point === 'hang' || point === 'mute') harness.upstream.misbehave('POST /v1/webhooks', point, 1);
        let isInterrupted = false;
        harness.upstream.watch('POST /v1/webhooks', async () => {
          if (point === 'answered' && !isInterrupted) await harness.kill();
          isInterrupted = true;
        });
        harness.listen();
        await harness.connect();
        const isStored = () => point !== 'stored' || harness.subscriptionState().state === 'active';
        const isCreated = () => point === 'hang' || registered().length === 1;
        await until('the interruption', () => isInterrupted && isCreated() && isStored());
        await harness.kill();
        await start();
        await harness.advance(HOUR_MS);
        await notifyAndCleanUp();
        await notifyAndCleanUp();
        expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
        expect(harness.keys.byKey(keyOf(ours().url))?.secret).toBe(ours().secret);
      },
    );
  });

  it('whose connection drops is looked up before it is sent again', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    await connect();
    expect(harness.subscriptionState()).toMatchObject({
      state: 'registering',
      sentence: expect.stringContaining('ECONNRESET'),
    });
    await harness.advance(5_000);
    expect(creates()).toHaveLength(1);
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it.each([
    ['fails', { status: 503 }],
    ['is HTML', { status: 200, body: '<html>', contentType: 'text/html' }],
    ['is rate limited', { status: 429 }],
  ])('with an unknown outcome is not sent again while the list %s', async (_, response) => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    harness.upstream.misbehave('GET /v1/webhooks', response);
    await connect();
    for (let i = 0; i < 5; i += 1) await harness.advance(HOUR_MS);
    expect(creates()).toHaveLength(1);
    expect(harness.subscriptionState().state).toBe('registering');
    harness.upstream.behave();
    await harness.advance(HOUR_MS);
    expect(ours().webhook_id).toBe(harness.subscriptionState().webhook_id);
    expect(creates()).toHaveLength(1);
  });

  it('with an unknown outcome is confirmed by a notification', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    harness.upstream.misbehave('GET /v1/webhooks', { status: 503 });
    await connect();
    const { url, webhook_id } = ours();
    const active = harness.keys.byKey(keyOf(url))!;
    harness.keys.recordNotification(active.subscriptionId, harness.workspace.clock.time, webhook_id);
    await until('the confirmation to be stored', () => harness.subscriptionState().state === 'active');
    await harness.advance(HOUR_MS);
    expect(creates()).toHaveLength(1);
  });

  it('that already exists is adopted', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] }, 1);
    await connect();
    harness.upstream.misbehave('POST /v1/webhooks', { status: 409, body: { error: 'url_taken' } });
    await harness.advance(5_000);
    expect(creates()).toHaveLength(2);
    expect(harness.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it('that succeeded twice keeps one webhook', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] }, 1);
    await connect();
    await harness.advance(5_000);
    expect(registered()).toHaveLength(2);
    await restart();
    expect(ours().webhook_id).toBe(harness.subscriptionState().webhook_id);
  });

  it('ends with one webhook even if a check reported wrongly that it is gone', async () => {
    await connect();
    harness.upstream.misbehave(
      'PATCH /v1/webhooks/:id',
      { status: 404, body: '<html>', contentType: 'text/html' },
      1,
    );
    await restart();
    expect(registered()).toHaveLength(2);
    await harness.advance(RETRY_WINDOW_MS);
    expect(ours().webhook_id).toBe(harness.subscriptionState().webhook_id);
    expect(creates()).toHaveLength(2);
  });
});
