import { FakeCopilot, type Route, type FakeWebhook } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { clearPremises, makePremises, Stand, type Premises } from '../connection/connection-fixture';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** For so long what an old webhook has on its way is waited for (document, 6.3: 5 + 25 s). */
const RETRIES_REACH_MS = 30_000;

const keyOf = ({ url }: FakeWebhook) => url.split('/').at(-1) ?? '';

describe('A rotation', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;
  let before: FakeWebhook;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    await start();
    await stand.connect(upstream);
    await settled();
    await stand.pass(RETRIES_REACH_MS);
    before = ours();
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const start = async () => {
    stand = await Stand.open(premises, upstream);
    stand.subscription.start();
    await stand.pass(0);
    await settled();
  };
  const settled = () => stand.subscription.ensureRegistered();
  const registered = (): FakeWebhook[] => [...upstream.webhooks.values()];
  const ours = (): FakeWebhook => {
    expect(registered()).toHaveLength(1);
    return registered()[0]!;
  };
  const state = () => stand.subscriptionState();
  const isGood = (webhook: FakeWebhook) =>
    stand.subscription.byKey(keyOf(webhook))?.secret === webhook.secret;
  const expectRotated = () => {
    const after = ours();
    expect(after.webhook_id).not.toBe(before.webhook_id);
    expect(keyOf(after)).not.toBe(keyOf(before));
    expect(after.secret).not.toBe(before.secret);
    expect(isGood(after)).toBe(true);
    expect(state()).toMatchObject({ state: 'active', webhook_id: after.webhook_id, rotation: null });
  };

  it('brings a new webhook with another key and secret, then deletes the old one', async () => {
    const order: string[] = [];
    let bothGood: boolean | null = null;
    let rotated = 0;
    stand.subscription.onRotated(() => (rotated += 1));
    upstream.watch('POST /v1/webhooks', () => void order.push('create'));
    upstream.watch('DELETE /v1/webhooks/:id', ({ path }) => {
      order.push(`delete ${path.split('/').at(-1)}`);
      bothGood = registered().length === 2 && registered().every(isGood);
    });
    await stand.subscription.rotate(false);
    await stand.pass(RETRIES_REACH_MS - 1);
    expect(order).toEqual(['create']);
    await stand.pass(1);
    expect(order).toEqual(['create', `delete ${before.webhook_id}`]);
    expect(bothGood).toBe(true);
    expectRotated();
    expect(rotated).toBe(1);
  });

  it('keeps the old key good for a minute', async () => {
    await stand.subscription.rotate(false);
    await stand.pass(RETRIES_REACH_MS);
    await stand.pass(MINUTE_MS - 1);
    expect(isGood(before)).toBe(true);
    await stand.pass(1);
    expect(isGood(before)).toBe(false);
  });

  it('leaves the old one alone while Co-Pilot may still retry what it could not deliver during a restart', async () => {
    await stand.close();
    await start();
    await stand.subscription.rotate(false);
    expect(registered()).toHaveLength(2);
    expect(registered().every(isGood)).toBe(true);
    expect(state().rotation).toMatchObject({
      sentence: expect.stringContaining('no retry from it can be pending'),
    });
    await stand.pass(RETRIES_REACH_MS);
    expectRotated();
  });

  it.each([409, 422, 403, 400])('whose second webhook is refused with %d changes nothing', async (status) => {
    upstream.limit = { webhooks: 1, status };
    await expect(stand.subscription.rotate(false)).rejects.toMatchObject({
      code: 'second_webhook_refused',
      status: 409,
      message: expect.stringContaining('too many webhooks'),
      remedy: expect.stringMatching(/delete_first.*are lost/),
    });
    expect(ours()).toEqual(before);
    expect(isGood(before)).toBe(true);
    expect(state()).toMatchObject({ state: 'active', webhook_id: before.webhook_id, rotation: null });
    const { url } = JSON.parse(upstream.on('POST /v1/webhooks').at(-1)!.body) as FakeWebhook;
    expect(keyOf({ ...before, url })).not.toBe(keyOf(before));
    expect(stand.subscription.byKey(keyOf({ ...before, url }))).toBeNull();
    await stand.pass(HOUR_MS);
    expect(ours()).toEqual(before);
  });

  it('can delete first where a second webhook is refused', async () => {
    upstream.limit = { webhooks: 1, status: 409 };
    await stand.subscription.rotate(true);
    expectRotated();
    expect(isGood(before)).toBe(true);
  });

  it('that deleted first and is then refused says so, and goes on', async () => {
    upstream.misbehave('POST /v1/webhooks', { status: 422, body: { message: 'not now' } });
    await stand.subscription.rotate(true);
    expect(registered()).toHaveLength(0);
    expect(state()).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('nothing arrives until then'),
    });
    upstream.behave();
    await stand.pass(5_000);
    expectRotated();
  });

  it('whose answer is lost stands beside the old one until it is known', async () => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    upstream.misbehave('GET /v1/webhooks', { status: 503 });
    await stand.subscription.rotate(false);
    expect(registered()).toHaveLength(2);
    expect(registered().every(isGood)).toBe(true);
    expect(state()).toMatchObject({
      state: 'active',
      webhook_id: before.webhook_id,
      rotation: { sentence: expect.stringContaining('A new webhook is being created') },
    });
    upstream.behave();
    await stand.pass(5_000);
    await stand.pass(RETRIES_REACH_MS);
    expectRotated();
    expect(upstream.on('POST /v1/webhooks')).toHaveLength(2);
  });

  it('whose answer is lost is proven by a notification', async () => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    upstream.misbehave('GET /v1/webhooks', { status: 503 });
    await stand.subscription.rotate(false);
    const made = registered().find(({ webhook_id }) => webhook_id !== before.webhook_id)!;
    const { subscriptionId } = stand.subscription.byKey(keyOf(made))!;
    stand.subscription.recordNotification(subscriptionId, premises.clock.time, made.webhook_id);
    await until('the proof to be stored', () => state().webhook_id === made.webhook_id);
    upstream.behave();
    await stand.pass(5_000);
    await stand.pass(RETRIES_REACH_MS);
    expectRotated();
  });

  it('needs a connection, and a webhook that stands', async () => {
    upstream.webhooks.clear();
    upstream.misbehave('POST /v1/webhooks', { status: 422 });
    await stand.subscription.repair();
    await expect(stand.subscription.rotate(false)).rejects.toMatchObject({ code: 'not_registered' });
    await expect(stand.subscription.setPaused(true)).rejects.toMatchObject({ code: 'not_registered' });
    upstream.revokeGrants();
    await stand.pass(HOUR_MS);
    for (const act of ['rotate', 'repair'] as const)
      await expect(stand.subscription[act](false)).rejects.toMatchObject({ code: 'not_connected' });
  });

  const isCarriedOut = (route: Route) =>
    route.startsWith('POST')
      ? registered().some(({ webhook_id }) => webhook_id !== before.webhook_id)
      : !upstream.webhooks.has(before.webhook_id);

  const wantsOneInTheEnd = async (route: Route, how: 'hang' | 'mute' | 'answered', deleteFirst: boolean) => {
    let reached = false;
    if (how !== 'answered') upstream.misbehave(route, how, 1);
    upstream.watch(route, async () => {
      if (reached) return;
      reached = true;
      if (how === 'answered') await stand.kill();
    });
    // Nobody gets to hear what becomes of it.
    const rotation = stand.subscription.rotate(deleteFirst).catch(() => undefined);
    // The old one goes first, or only once the new one stands for a while.
    if (route.startsWith('DELETE') && !deleteFirst) {
      await rotation;
      void stand.pass(RETRIES_REACH_MS).catch(() => undefined);
    }
    const carriedOut = {
      hang: () => true,
      mute: () => isCarriedOut(route),
      answered: () => isCarriedOut(route),
    };
    await until('the cut', () => reached && carriedOut[how]());
    await stand.kill();
    upstream.behave();
    await start();
    // What is there can send, whatever is known of it.
    expect(registered().every(isGood)).toBe(true);
    await stand.pass(RETRIES_REACH_MS);
    await stand.pass(HOUR_MS);
    expectRotated();
    await stand.pass(24 * HOUR_MS);
    expectRotated();
  };

  describe('cut off by a kill', () => {
    const CREATE = 'POST /v1/webhooks';
    const DELETE = 'DELETE /v1/webhooks/:id';
    const points: [point: string, route: Route, how: 'hang' | 'mute' | 'answered'][] = [
      ['once it is stored, before Co-Pilot does anything', CREATE, 'hang'],
      ['once Co-Pilot has made the new one, before its answer', CREATE, 'mute'],
      ['once the new one is answered for, before that is stored', CREATE, 'answered'],
      ['before Co-Pilot deletes the old one', DELETE, 'hang'],
      ['once Co-Pilot has deleted the old one, before its answer', DELETE, 'mute'],
      ['once the deletion is answered for, before that is stored', DELETE, 'answered'],
    ];
    it.each(points)('%s, ends with one new webhook', (_, route, how) => wantsOneInTheEnd(route, how, false));

    it.each(points)('that deletes first: %s, ends with one new webhook', (_, route, how) =>
      wantsOneInTheEnd(route, how, true),
    );
  });
});
