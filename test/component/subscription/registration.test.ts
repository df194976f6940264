import { FakeCopilot, type FakeWebhook } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import {
  allBytes,
  clearPremises,
  HOUR_MS,
  makePremises,
  readRows,
  Stand,
  type Premises,
} from '../connection/connection-fixture';

const MINUTE_MS = 60_000;
/** For so long after a start Co-Pilot may still be retrying what it could not deliver (document, 6.3: 5 + 25 s). */
const RETRIES_REACH_MS = 30_000;

const keyOf = (url: string) => url.split('/').at(-1) ?? '';

describe('Registration', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    stand = await Stand.open(premises, upstream);
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  /** What a restart does: the daemon stops, starts, listens, and looks after what is due. */
  const restart = async (environment: Record<string, string> = {}) => {
    await stand.close();
    await start(environment);
  };
  const start = async (environment: Record<string, string> = {}) => {
    stand = await Stand.open(premises, upstream, environment);
    stand.subscription.start();
    await stand.pass(0);
    await settled();
  };
  /** Whatever is under way has ended. */
  const settled = () => stand.subscription.ensureRegistered();
  const connect = async () => {
    stand.subscription.start();
    await stand.connect(upstream);
    await settled();
  };
  const registered = (): FakeWebhook[] => [...upstream.webhooks.values()];
  const creates = () => upstream.on('POST /v1/webhooks');
  const ours = (): FakeWebhook => {
    expect(registered()).toHaveLength(1);
    return registered()[0]!;
  };

  /** The process ends while the request is under way, and starts again. */
  const cut = async (how: 'mute' | 'hang') => {
    upstream.misbehave('POST /v1/webhooks', how, 1);
    stand.subscription.start();
    await stand.connect(upstream);
    await until('the request to be sent', () => creates().length === 1);
    await stand.kill();
    await start();
    await stand.pass(HOUR_MS);
  };

  /** Each webhook that is there sends: where the list shows none, only that tells them apart, and an operator decides. */
  const notified = async () => {
    for (const { url, webhook_id } of registered()) {
      const { subscriptionId } = stand.subscription.byKey(keyOf(url))!;
      stand.subscription.recordNotification(subscriptionId, premises.clock.time, webhook_id);
      await stand.pass(0);
    }
    await stand.pass(5 * MINUTE_MS);
    for (const { webhook_id } of stand.subscriptionState().reported)
      await stand.subscription.deleteReported(webhook_id);
  };

  it('follows a consent by itself', async () => {
    expect(stand.subscriptionState().state).toBe('none');
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
    expect(stand.subscriptionState()).toMatchObject({
      state: 'active',
      sentence: 'Registered at Co-Pilot and receiving events.',
      url: `https://hub.example/hooks/${keyOf(url).slice(0, 4)}…`,
      webhook_id,
      registered_at: '2026-11-20T12:00:00.000Z',
      checked_at: '2026-11-20T12:00:00.000Z',
    });
  });

  it('waits until the daemon listens', async () => {
    await stand.connect(upstream);
    await stand.pass(HOUR_MS);
    // A stop waits for whatever is under way.
    await stand.close();
    expect(creates()).toHaveLength(0);
    await start();
    expect(registered()).toHaveLength(1);
  });

  it('has stored key and secret, sealed, before its request is sent', async () => {
    const found: { state: string }[] = [];
    let goodBefore: boolean | null = null;
    upstream.watch('POST /v1/webhooks', ({ body }) => {
      const request: FakeWebhook = JSON.parse(body);
      found.push(...readRows<{ state: string }>(premises, 'SELECT state FROM subscriptions'));
      goodBefore = stand.subscription.byKey(keyOf(request.url))?.secret === request.secret;
    });
    await connect();
    expect(found).toEqual([{ state: 'registering' }]);
    expect(goodBefore).toBe(true);
    const { url, secret } = ours();
    const [bytes, log] = [allBytes(premises), premises.logged.join('')];
    for (const hidden of [keyOf(url), secret]) {
      expect(bytes.includes(hidden)).toBe(false);
      expect(log.includes(hidden)).toBe(false);
    }
  });

  it.each(['record', 'data', 'webhook', 'empty', 'html'] as const)(
    'is made once over restarts where a create answers with: %s',
    async (shape) => {
      upstream.createAnswer = shape;
      await connect();
      const { webhook_id, url } = ours();
      expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id });
      const restarts = shape === 'record' ? 10 : 2;
      for (let i = 0; i < restarts; i += 1) await restart();
      expect(creates()).toHaveLength(1);
      expect(ours()).toMatchObject({ webhook_id, url, active: true });
      expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id });
    },
  );

  it('learns its id from the first notification where neither create nor list tells it', async () => {
    upstream.createAnswer = 'empty';
    upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
    await connect();
    expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: null });
    const { url, webhook_id } = ours();
    const { subscriptionId } = stand.subscription.byKey(keyOf(url))!;
    stand.subscription.recordNotification(subscriptionId, premises.clock.time, webhook_id);
    await until('the id to be stored', () => stand.subscriptionState().webhook_id === webhook_id);
    await restart();
    expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id });
    expect(creates()).toHaveLength(1);
  });

  describe('that was cut off', () => {
    it('behind its request is found in the list and adopted', async () => {
      await cut('mute');
      expect(creates()).toHaveLength(1);
      expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      expect(stand.subscription.byKey(keyOf(ours().url))?.secret).toBe(ours().secret);
    });

    it('before its request did anything is sent again with the same key and secret', async () => {
      await cut('hang');
      const [first, second] = creates().map(({ body }) => body);
      expect(second).toBe(first);
      expect(creates()).toHaveLength(2);
      expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    });
  });

  describe('that was cut off while the list does not show it', () => {
    it.each(['hang', 'mute', 'answered', 'stored'] as const)(
      'at the point %s, ends with one webhook, the other deleted by the operator',
      async (point) => {
        upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
        if (point === 'hang' || point === 'mute') upstream.misbehave('POST /v1/webhooks', point, 1);
        let isCut = false;
        upstream.watch('POST /v1/webhooks', async () => {
          if (point === 'answered' && !isCut) await stand.kill();
          isCut = true;
        });
        stand.subscription.start();
        await stand.connect(upstream);
        const isStored = () => point !== 'stored' || stand.subscriptionState().state === 'active';
        const isMade = () => point === 'hang' || registered().length === 1;
        await until('the cut', () => isCut && isMade() && isStored());
        await stand.kill();
        await start();
        await stand.pass(HOUR_MS);
        await notified();
        await notified();
        expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
        expect(stand.subscription.byKey(keyOf(ours().url))?.secret).toBe(ours().secret);
      },
    );
  });

  it('whose connection drops is looked for before it is sent again', async () => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    await connect();
    expect(stand.subscriptionState()).toMatchObject({
      state: 'registering',
      sentence: expect.stringContaining('ECONNRESET'),
    });
    await stand.pass(5_000);
    expect(creates()).toHaveLength(1);
    expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it.each([
    ['fails', { status: 503 }],
    ['is HTML', { status: 200, body: '<html>', contentType: 'text/html' }],
    ['is not allowed now', { status: 429 }],
  ])('whose outcome is unknown is not sent again while the list %s', async (_, answer) => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    upstream.misbehave('GET /v1/webhooks', answer);
    await connect();
    for (let i = 0; i < 5; i += 1) await stand.pass(HOUR_MS);
    expect(creates()).toHaveLength(1);
    expect(stand.subscriptionState().state).toBe('registering');
    upstream.behave();
    await stand.pass(HOUR_MS);
    expect(ours().webhook_id).toBe(stand.subscriptionState().webhook_id);
    expect(creates()).toHaveLength(1);
  });

  it('whose outcome is unknown is proven by a notification', async () => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    upstream.misbehave('GET /v1/webhooks', { status: 503 });
    await connect();
    const { url, webhook_id } = ours();
    const active = stand.subscription.byKey(keyOf(url))!;
    stand.subscription.recordNotification(active.subscriptionId, premises.clock.time, webhook_id);
    await until('the proof to be stored', () => stand.subscriptionState().state === 'active');
    await stand.pass(HOUR_MS);
    expect(creates()).toHaveLength(1);
  });

  it('that is refused says why, and is tried again', async () => {
    upstream.misbehave('POST /v1/webhooks', { status: 422, body: { message: 'url must be public' } });
    await connect();
    expect(stand.subscriptionState()).toMatchObject({
      state: 'failed',
      sentence:
        'Co-Pilot rejected the registration; it is retried automatically. Co-Pilot refused the registration with 422: url must be public',
    });
    upstream.behave();
    await stand.pass(5_000);
    expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it('that exists already is adopted', async () => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] }, 1);
    await connect();
    upstream.misbehave('POST /v1/webhooks', { status: 409, body: { error: 'url_taken' } });
    await stand.pass(5_000);
    expect(creates()).toHaveLength(2);
    expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
  });

  it('that came through twice keeps one', async () => {
    upstream.misbehave('POST /v1/webhooks', 'drop', 1);
    upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] }, 1);
    await connect();
    await stand.pass(5_000);
    expect(registered()).toHaveLength(2);
    await restart();
    expect(ours().webhook_id).toBe(stand.subscriptionState().webhook_id);
  });

  it('sets events and activity as wanted after a restart', async () => {
    await connect();
    const { webhook_id } = ours();
    ours().active = false;
    await restart({ COPILOT_EVENTS: 'deal.created,task.created' });
    expect(ours()).toMatchObject({ webhook_id, active: true, events: ['deal.created', 'task.created'] });
    expect(stand.subscriptionState().events).toEqual(['deal.created', 'task.created']);
    expect(creates()).toHaveLength(1);
  });

  it('that was deleted by somebody is made anew with another key', async () => {
    await connect();
    const before = ours();
    upstream.webhooks.clear();
    await restart();
    expect(keyOf(ours().url)).not.toBe(keyOf(before.url));
    expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    expect(creates()).toHaveLength(2);
    await restart();
    expect(creates()).toHaveLength(2);
  });

  it.each([
    ['403', { status: 403 }],
    ['429', { status: 429 }],
    ['500', { status: 500 }],
    ['a dropped connection', 'refuse' as const],
  ])('is left alone where its check meets %s, and the problem shown', async (_, misbehaviour) => {
    await connect();
    const before = { ...ours() };
    upstream.misbehave('PATCH /v1/webhooks/:id', misbehaviour);
    await restart();
    expect(stand.subscriptionState()).toMatchObject({
      state: 'active',
      webhook_id: before.webhook_id,
      sentence: expect.stringContaining('the last check failed'),
    });
    expect(ours()).toEqual(before);
    upstream.behave();
    await stand.pass(5_000);
    expect(stand.subscriptionState().sentence).toBe('Registered at Co-Pilot and receiving events.');
    expect(creates()).toHaveLength(1);
  });

  it('ends with one even where a check said wrongly that it is gone', async () => {
    await connect();
    upstream.misbehave(
      'PATCH /v1/webhooks/:id',
      { status: 404, body: '<html>', contentType: 'text/html' },
      1,
    );
    await restart();
    expect(registered()).toHaveLength(2);
    await stand.pass(RETRIES_REACH_MS);
    expect(ours().webhook_id).toBe(stand.subscriptionState().webhook_id);
    expect(creates()).toHaveLength(2);
  });

  describe('under another PUBLIC_URL', () => {
    const moved = { PUBLIC_URL: 'https://moved.example' };

    it('is made anew, and the one before is taken down', async () => {
      await connect();
      const before = ours();
      await restart(moved);
      expect(ours().url).toMatch(/^https:\/\/moved\.example\/hooks\/[\w-]{43}$/);
      expect(keyOf(ours().url)).not.toBe(keyOf(before.url));
      expect(stand.subscriptionState()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      await restart(moved);
      expect(creates()).toHaveLength(2);
    });

    it('takes the old one down only when the new one stands', async () => {
      await connect();
      const before = ours();
      upstream.misbehave('POST /v1/webhooks', { status: 422 });
      await restart(moved);
      expect(ours()).toEqual(before);
      upstream.behave();
      await stand.pass(5_000);
      expect(ours().url).toContain('moved.example');
    });

    it('tries again to take the old one down', async () => {
      await connect();
      upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500 });
      await restart(moved);
      expect(registered()).toHaveLength(2);
      upstream.behave();
      await restart(moved);
      expect(ours().url).toContain('moved.example');
    });

    it('keeps the old key good for a minute, over a restart too', async () => {
      await connect();
      const { url, secret } = ours();
      await restart(moved);
      await stand.pass(MINUTE_MS - 1);
      await restart(moved);
      expect(stand.subscription.byKey(keyOf(url))?.secret).toBe(secret);
      await stand.pass(1);
      expect(stand.subscription.byKey(keyOf(url))).toBeNull();
    });
  });

  it('never touches the webhooks of other people', async () => {
    const foreign = [
      upstream.addForeignWebhook('https://hub.example/hooks/of-another-laptop'),
      upstream.addForeignWebhook('https://elsewhere.example/'),
    ].map((webhook) => ({ ...webhook }));
    await connect();
    await restart({ PUBLIC_URL: 'https://moved.example' });
    upstream.webhooks.delete(stand.subscriptionState().webhook_id ?? '');
    await restart({ PUBLIC_URL: 'https://moved.example' });
    expect(registered()).toHaveLength(3);
    expect(registered().slice(0, 2)).toEqual(foreign);
    const touched = upstream.requests.filter(({ path }) =>
      foreign.some(({ webhook_id }) => path.endsWith(webhook_id)),
    );
    expect(touched).toEqual([]);
  });

  it('stays at a stop', async () => {
    await connect();
    const before = { ...ours() };
    await stand.close();
    expect(registered()).toEqual([before]);
    stand = await Stand.open(premises, upstream);
  });

  it('needs no token of ours to stay: it is active while consent is needed', async () => {
    await connect();
    upstream.revokeGrants();
    await stand.pass(HOUR_MS);
    expect(stand.connectionState().state).toBe('consent_needed');
    await restart();
    expect(stand.subscriptionState().state).toBe('active');
    await stand.connect(upstream);
    await settled();
    expect(creates()).toHaveLength(1);
  });
});
