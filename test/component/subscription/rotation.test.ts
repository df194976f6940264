import { RegistrationStore } from '../../../src/relay/subscription/registration.store';
import type { Route } from '../../support/fakes/copilot-requests';
import type { FakeWebhook } from '../../support/fakes/copilot-webhooks';
import { until } from '../../support/until';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How long retries from the old webhook may still be pending (document, 6.3: 5 + 25 s). */
const RETRY_WINDOW_MS = 30_000;

const keyOf = ({ url }: FakeWebhook) => url.split('/').at(-1) ?? '';

describe('a rotation', () => {
  const harness = useFeatureHarness();
  let before: FakeWebhook;

  beforeEach(async () => {
    await start();
    await harness.connect();
    await settled();
    await harness.advance(RETRY_WINDOW_MS);
    before = ours();
  });

  const start = async () => {
    await harness.open();
    harness.listen();
    await harness.advance(0);
    await settled();
  };
  const settled = () => harness.subscriptionWorker.ensureRegistered();
  const registered = (): FakeWebhook[] => [...harness.upstream.webhooks.values()];
  const ours = (): FakeWebhook => {
    expect(registered()).toHaveLength(1);
    return registered()[0]!;
  };
  const state = () => harness.subscriptionState();
  const isValid = (webhook: FakeWebhook) => harness.keys.byKey(keyOf(webhook))?.secret === webhook.secret;
  const expectRotated = () => {
    const after = ours();
    expect(after.webhook_id).not.toBe(before.webhook_id);
    expect(keyOf(after)).not.toBe(keyOf(before));
    expect(after.secret).not.toBe(before.secret);
    expect(isValid(after)).toBe(true);
    expect(state()).toMatchObject({ state: 'active', webhook_id: after.webhook_id, rotation: null });
  };

  it('creates a new webhook with another key and secret, then deletes the old one', async () => {
    const order: string[] = [];
    let bothValid: boolean | null = null;
    let rotated = 0;
    harness.app.get(RegistrationStore).onRotated(() => (rotated += 1));
    harness.upstream.watch('POST /v1/webhooks', () => void order.push('create'));
    harness.upstream.watch('DELETE /v1/webhooks/:id', ({ path }) => {
      order.push(`delete ${path.split('/').at(-1)}`);
      bothValid = registered().length === 2 && registered().every(isValid);
    });
    await harness.actions.rotate(false);
    await harness.advance(RETRY_WINDOW_MS - 1);
    expect(order).toEqual(['create']);
    await harness.advance(1);
    expect(order).toEqual(['create', `delete ${before.webhook_id}`]);
    expect(bothValid).toBe(true);
    expectRotated();
    expect(rotated).toBe(1);
  });

  it('accepts the old key for another minute', async () => {
    await harness.actions.rotate(false);
    await harness.advance(RETRY_WINDOW_MS);
    await harness.advance(MINUTE_MS - 1);
    expect(isValid(before)).toBe(true);
    await harness.advance(1);
    expect(isValid(before)).toBe(false);
  });

  it('keeps the old webhook while Co-Pilot may still be retrying from a restart', async () => {
    await harness.close();
    await start();
    await harness.actions.rotate(false);
    expect(registered()).toHaveLength(2);
    expect(registered().every(isValid)).toBe(true);
    expect(state().rotation).toMatchObject({
      sentence: expect.stringContaining('no retry from it can be pending'),
    });
    await harness.advance(RETRY_WINDOW_MS);
    expectRotated();
  });

  it.each([409, 422, 403, 400])(
    'whose second webhook is rejected with %d changes nothing',
    async (status) => {
      harness.upstream.webhookApi.limit = { webhooks: 1, status };
      await expect(harness.actions.rotate(false)).rejects.toMatchObject({
        code: 'second_webhook_rejected',
        status: 409,
        message: expect.stringContaining('too many webhooks'),
        remedy: expect.stringMatching(/delete_first.*are lost/),
      });
      expect(ours()).toEqual(before);
      expect(isValid(before)).toBe(true);
      expect(state()).toMatchObject({ state: 'active', webhook_id: before.webhook_id, rotation: null });
      const { url } = JSON.parse(harness.upstream.on('POST /v1/webhooks').at(-1)!.body) as FakeWebhook;
      expect(keyOf({ ...before, url })).not.toBe(keyOf(before));
      expect(harness.keys.byKey(keyOf({ ...before, url }))).toBeNull();
      await harness.advance(HOUR_MS);
      expect(ours()).toEqual(before);
    },
  );

  it('can delete first if a second webhook is rejected', async () => {
    harness.upstream.webhookApi.limit = { webhooks: 1, status: 409 };
    await harness.actions.rotate(true);
    expectRotated();
    expect(isValid(before)).toBe(true);
  });

  it('that deleted first and is then rejected says so, and continues', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', { status: 422, body: { message: 'not now' } });
    await harness.actions.rotate(true);
    expect(registered()).toHaveLength(0);
    expect(state()).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('nothing arrives until then'),
    });
    harness.upstream.behave();
    await harness.advance(5_000);
    expectRotated();
  });

  it('whose response is lost keeps both webhooks until the outcome is known', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    harness.upstream.misbehave('GET /v1/webhooks', { status: 503 });
    await harness.actions.rotate(false);
    expect(registered()).toHaveLength(2);
    expect(registered().every(isValid)).toBe(true);
    expect(state()).toMatchObject({
      state: 'active',
      webhook_id: before.webhook_id,
      rotation: { sentence: expect.stringContaining('A new webhook is being created') },
    });
    harness.upstream.behave();
    await harness.advance(5_000);
    await harness.advance(RETRY_WINDOW_MS);
    expectRotated();
    expect(harness.upstream.on('POST /v1/webhooks')).toHaveLength(2);
  });

  it('whose response is lost is confirmed by a notification', async () => {
    harness.upstream.misbehave('POST /v1/webhooks', 'drop_response', 1);
    harness.upstream.misbehave('GET /v1/webhooks', { status: 503 });
    await harness.actions.rotate(false);
    const created = registered().find(({ webhook_id }) => webhook_id !== before.webhook_id)!;
    const { subscriptionId } = harness.keys.byKey(keyOf(created))!;
    harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, created.webhook_id);
    await until('the confirmation to be stored', () => state().webhook_id === created.webhook_id);
    harness.upstream.behave();
    await harness.advance(5_000);
    await harness.advance(RETRY_WINDOW_MS);
    expectRotated();
  });

  it('needs a connection and a registered webhook', async () => {
    harness.upstream.webhooks.clear();
    harness.upstream.misbehave('POST /v1/webhooks', { status: 422 });
    await harness.actions.repair();
    await expect(harness.actions.rotate(false)).rejects.toMatchObject({ code: 'not_registered' });
    await expect(harness.actions.setPaused(true)).rejects.toMatchObject({ code: 'not_registered' });
    harness.upstream.grants.revoke();
    await harness.advance(HOUR_MS);
    for (const action of ['rotate', 'repair'] as const)
      await expect(harness.actions[action](false)).rejects.toMatchObject({ code: 'not_connected' });
  });

  const isProcessed = (route: Route) =>
    route.startsWith('POST')
      ? registered().some(({ webhook_id }) => webhook_id !== before.webhook_id)
      : !harness.upstream.webhooks.has(before.webhook_id);

  const expectOneInTheEnd = async (route: Route, how: 'hang' | 'mute' | 'answered', deleteFirst: boolean) => {
    let reached = false;
    if (how !== 'answered') harness.upstream.misbehave(route, how, 1);
    harness.upstream.watch(route, async () => {
      if (reached) return;
      reached = true;
      if (how === 'answered') await harness.kill();
    });
    // Its outcome does not matter here.
    const rotation = harness.actions.rotate(deleteFirst).catch(() => undefined);
    // The old webhook is deleted first, or after the retry window of the new one.
    if (route.startsWith('DELETE') && !deleteFirst) {
      await rotation;
      void harness.advance(RETRY_WINDOW_MS).catch(() => undefined);
    }
    const isDone = {
      hang: () => true,
      mute: () => isProcessed(route),
      answered: () => isProcessed(route),
    };
    await until('the interruption', () => reached && isDone[how]());
    await harness.kill();
    harness.upstream.behave();
    await start();
    // Every webhook that exists can send, whatever is known about it.
    expect(registered().every(isValid)).toBe(true);
    await harness.advance(RETRY_WINDOW_MS);
    await harness.advance(HOUR_MS);
    expectRotated();
    await harness.advance(24 * HOUR_MS);
    expectRotated();
  };

  describe('interrupted by a kill', () => {
    const CREATE = 'POST /v1/webhooks';
    const DELETE = 'DELETE /v1/webhooks/:id';
    const points: [point: string, route: Route, how: 'hang' | 'mute' | 'answered'][] = [
      ['once its intent is stored, before Co-Pilot does anything', CREATE, 'hang'],
      ['once Co-Pilot has created the new webhook, before its response', CREATE, 'mute'],
      ['once the response to the create has arrived, before it is stored', CREATE, 'answered'],
      ['before Co-Pilot deletes the old webhook', DELETE, 'hang'],
      ['once Co-Pilot has deleted the old webhook, before its response', DELETE, 'mute'],
      ['once the response to the deletion has arrived, before it is stored', DELETE, 'answered'],
    ];
    it.each(points)('%s, ends with one new webhook', (_, route, how) => expectOneInTheEnd(route, how, false));

    it.each(points)('that deletes first: %s, ends with one new webhook', (_, route, how) =>
      expectOneInTheEnd(route, how, true),
    );
  });
});
