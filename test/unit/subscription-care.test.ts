import { RelayError } from '../harness/built';
import { Upstream, type UpstreamWebhook } from '../harness/upstream';
import { clearPremises, makePremises, Stand, until, type Premises } from './connection-stand';

const MINUTE_MS = 60_000;
const CHECK_EVERY_MS = 5 * MINUTE_MS;
const EVENTS = ['deal.created', 'task.created'];

const keyOf = ({ url }: UpstreamWebhook) => url.split('/').at(-1) ?? '';

describe('A registration that stands', () => {
  let upstream: Upstream;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await Upstream.start();
    premises = makePremises();
    await start();
    await stand.connect(upstream);
    await settled();
    // The first check sees it in the list at its address.
    await stand.pass(CHECK_EVERY_MS);
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const start = async () => {
    stand = await Stand.open(premises, upstream, { COPILOT_EVENTS: EVENTS.join(',') });
    stand.subscription.start();
    await stand.pass(0);
    await settled();
  };
  const settled = () => stand.subscription.ensureRegistered();
  const restart = async () => {
    await stand.close();
    await start();
  };
  const ours = (): UpstreamWebhook => {
    expect(upstream.webhooks.size).toBe(1);
    return [...upstream.webhooks.values()][0]!;
  };
  const state = () => stand.subscriptionState();
  const updates = () => upstream.on('PATCH /v1/webhooks/:id').length;

  it('is checked every five minutes', async () => {
    const before = updates();
    await stand.pass(CHECK_EVERY_MS - 1);
    expect(updates()).toBe(before);
    await stand.pass(1);
    expect(updates()).toBe(before + 1);
    expect(state().checked_at).toBe(new Date(premises.clock.time).toISOString());
  });

  it('is checked at once where the operator asks for it', async () => {
    ours().active = false;
    await stand.subscription.repair();
    expect(ours().active).toBe(true);
    expect(state().drift).toHaveLength(1);
  });

  it.each([
    ['a repair', 0, () => stand.subscription.repair()],
    ['a rotation', 2, () => stand.subscription.rotate(false)],
    ['a pause', 1, () => stand.subscription.setPaused(true)],
    ['a resumption', 1, () => stand.subscription.setPaused(false)],
  ])('is checked again by itself after %s failed on a disk that became full', async (_, written, act) => {
    const change = stand.journal.change.bind(stand.journal);
    let left = written;
    const full = jest.spyOn(stand.journal, 'change').mockImplementation((...given) => {
      left -= 1;
      if (left >= 0) return change(...given);
      return Promise.reject(new RelayError('storage_failed', 503, 'The disk is full.'));
    });
    await expect(act()).rejects.toMatchObject({ code: 'storage_failed' });
    full.mockRestore();
    upstream.webhooks.clear();
    await stand.pass(CHECK_EVERY_MS);
    expect(state().webhook_id).toBe(ours().webhook_id);
    const before = updates();
    for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
    expect(updates()).toBeGreaterThanOrEqual(before + 3);
  });

  it('shows no drift where there is none', async () => {
    for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
    await restart();
    expect(state().drift).toEqual([]);
  });

  describe('and was changed by somebody', () => {
    it.each([
      [
        'in its events',
        { events: ['deal.deleted'] },
        { field: 'events', before: 'deal.created, task.created', after: 'deal.deleted' },
      ],
      ['in its activity', { active: false }, { field: 'active', before: 'active', after: 'paused' }],
    ])('%s is set right, and shown with before and after', async (_, change, drift) => {
      const { webhook_id } = ours();
      Object.assign(ours(), change);
      await stand.pass(CHECK_EVERY_MS);
      expect(ours()).toMatchObject({ webhook_id, active: true, events: EVENTS });
      const at = new Date(premises.clock.time).toISOString();
      expect(state().drift).toEqual([{ at, ...drift, outcome: 'repaired' }]);
      await restart();
      expect(state().drift).toEqual([{ at, ...drift, outcome: 'repaired' }]);
    });

    it('beyond what an update sets right is shown once as kept', async () => {
      const answer = { ...ours(), events: ['deal.created'], secret: undefined };
      upstream.misbehave('PATCH /v1/webhooks/:id', { status: 200, body: answer });
      upstream.misbehave('GET /v1/webhooks', { status: 200, body: [answer] });
      for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
      const kept = state().drift.filter(({ outcome }) => outcome === 'kept');
      expect(kept).toMatchObject([
        { field: 'events', before: 'deal.created, task.created', after: 'deal.created' },
      ]);
      expect(state().events).toEqual(['deal.created']);
    });

    it('in its address gets a successor with another key, and goes', async () => {
      const before = { ...ours() };
      ours().url = 'https://elsewhere.example/taken/over?token=1';
      await stand.pass(CHECK_EVERY_MS);
      await stand.pass(CHECK_EVERY_MS);
      expect(ours().webhook_id).not.toBe(before.webhook_id);
      expect(keyOf(ours())).not.toBe(keyOf(before));
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      expect(state().drift).toMatchObject([
        { field: 'url', after: 'https://elsewhere.example/taken/…', outcome: 'repaired' },
      ]);
    });

    it('by deleting it gets a successor', async () => {
      const { webhook_id } = ours();
      upstream.webhooks.clear();
      await stand.pass(CHECK_EVERY_MS);
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      expect(state().drift).toMatchObject([
        { field: 'webhook', before: webhook_id, after: 'deleted', outcome: 'repaired' },
      ]);
    });

    it('keeps the newest twenty', async () => {
      for (let i = 0; i < 22; i += 1) {
        ours().events = [`deal.${i}`];
        await stand.pass(CHECK_EVERY_MS);
      }
      await restart();
      const after = state().drift.map((drift) => drift.after);
      expect(after).toEqual(Array.from({ length: 20 }, (_, i) => `deal.${21 - i}`));
    });
  });

  it('is not taken for gone or moved where the list masks addresses', async () => {
    await stand.close();
    clearPremises(premises);
    upstream.webhooks.clear();
    premises = makePremises();
    upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
    await start();
    await stand.connect(upstream);
    await settled();
    const { webhook_id } = ours();
    const masked = { webhook_id, url: 'https://hub.example/hooks/****', events: EVENTS, active: true };
    upstream.misbehave('GET /v1/webhooks', { status: 200, body: [masked] });
    for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
    expect(ours().webhook_id).toBe(webhook_id);
    expect(state().drift).toEqual([]);
  });

  it.each(['cursor', 'page', 'link', 'next'] as const)(
    'is found behind the first page of a list that is paged by: %s',
    async (paging) => {
      const mine = { ...ours(), active: false };
      upstream.webhooks.clear();
      for (const name of ['a', 'b']) upstream.addForeignWebhook(`https://${name}.example/hooks/key`);
      upstream.webhooks.set(mine.webhook_id, mine);
      upstream.paging = paging;
      await stand.pass(CHECK_EVERY_MS);
      expect(mine.active).toBe(true);
      expect(state().drift).toMatchObject([{ field: 'active', outcome: 'repaired' }]);
      expect(state().foreign).toHaveLength(2);
    },
  );

  it('is not taken for gone where a page of the list does not show it', async () => {
    upstream.paging = 'untold';
    const mine = ours();
    upstream.webhooks.clear();
    upstream.addForeignWebhook('https://a.example/');
    upstream.webhooks.set(mine.webhook_id, mine);
    await stand.pass(CHECK_EVERY_MS);
    expect(state()).toMatchObject({ state: 'active', webhook_id: mine.webhook_id });
    expect(upstream.on('POST /v1/webhooks')).toHaveLength(1);
  });

  it('shows the webhooks of others, masked, and leaves them alone', async () => {
    const { webhook_id } = upstream.addForeignWebhook('https://hub.example/hooks/of-another-laptop?token=1');
    upstream.addForeignWebhook('https://user:password@elsewhere.example/secret');
    await stand.pass(CHECK_EVERY_MS);
    expect(state().foreign).toMatchObject([
      { webhook_id, url: 'https://hub.example/hooks/…', events: ['deal.created'], active: true },
      { url: 'https://elsewhere.example/…' },
    ]);
    await expect(stand.subscription.remove()).resolves.toBe('removed');
    expect(upstream.webhooks.size).toBe(2);
  });

  describe('and is paused by the operator', () => {
    it('stays paused over checks and restarts, and says what that costs', async () => {
      await stand.subscription.setPaused(true);
      expect(ours().active).toBe(false);
      for (let i = 0; i < 2; i += 1) await stand.pass(CHECK_EVERY_MS);
      await restart();
      expect(ours().active).toBe(false);
      expect(state()).toMatchObject({
        state: 'paused',
        sentence: expect.stringContaining('is lost'),
        remedy: expect.stringContaining('pause the targets'),
        drift: [],
      });
      await stand.subscription.setPaused(false);
      expect(ours().active).toBe(true);
      expect(state()).toMatchObject({ state: 'active', remedy: null, drift: [] });
    });

    it('is paused by itself later where Co-Pilot does not answer', async () => {
      upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
      await stand.subscription.setPaused(true);
      expect(state()).toMatchObject({ state: 'paused', sentence: expect.stringContaining('500') });
      upstream.behave();
      await stand.pass(5_000);
      expect(ours().active).toBe(false);
    });

    it('is paused again where somebody resumed it, which is shown', async () => {
      await stand.subscription.setPaused(true);
      ours().active = true;
      await stand.pass(CHECK_EVERY_MS);
      expect(ours().active).toBe(false);
      expect(state().drift).toMatchObject([{ field: 'active', before: 'paused', after: 'active' }]);
    });

    it('hands that on to its successor', async () => {
      await stand.subscription.setPaused(true);
      upstream.webhooks.clear();
      await stand.pass(CHECK_EVERY_MS);
      expect(ours().active).toBe(false);
      expect(state().state).toBe('paused');
    });
  });

  describe('whose check meets', () => {
    it.each([
      ['403', { status: 403 }, 'grant the scope webhooks'],
      ['401', { status: 401 }, 'connect again'],
      ['500', { status: 500 }, null],
      ['no answer', 'refuse' as const, 'COPILOT_BASE_URL'],
      ['a redirect', { status: 302 }, 'COPILOT_BASE_URL'],
    ])('%s stays active, says what to do, and heals by itself', async (_, misbehaviour, remedy) => {
      for (const route of ['GET /v1/webhooks', 'PATCH /v1/webhooks/:id'] as const)
        upstream.misbehave(route, misbehaviour);
      await stand.pass(CHECK_EVERY_MS);
      expect(state()).toMatchObject({
        state: 'active',
        sentence: expect.stringContaining('the last check failed'),
        remedy: remedy === null ? null : expect.stringContaining(remedy),
      });
      upstream.behave();
      await stand.pass(5_000);
      expect(state()).toMatchObject({
        sentence: 'Registered at Co-Pilot, which sends its events here.',
        remedy: null,
      });
      expect(upstream.on('POST /v1/webhooks')).toHaveLength(1);
    });

    it.each([
      ['seconds', () => '600'],
      ['a date', () => new Date(premises.clock.time + 10 * MINUTE_MS).toUTCString()],
    ])('429 waits as long as Retry-After says in %s', async (_, after) => {
      premises.clock.time += CHECK_EVERY_MS;
      const answer = { status: 429, headers: { 'retry-after': after() } };
      upstream.misbehave('GET /v1/webhooks', answer, 1);
      await stand.pass(0);
      const asked = upstream.requests.length;
      await stand.subscription.repair();
      await stand.pass(9 * MINUTE_MS);
      expect(upstream.requests).toHaveLength(asked);
      expect(state().sentence).toContain('asked to be left alone until');
      await stand.pass(MINUTE_MS);
      expect(upstream.requests.length).toBeGreaterThan(asked);
      expect(state()).toMatchObject({
        remedy: null,
        checked_at: new Date(premises.clock.time).toISOString(),
      });
    });
  });

  it('has a second webhook deleted that a notification tells of', async () => {
    const known = ours();
    const stray = { ...known, webhook_id: 'wh_9' };
    upstream.webhooks.set(stray.webhook_id, stray);
    upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
    const { subscriptionId } = stand.subscription.byKey(keyOf(known))!;
    stand.subscription.noteNotification(subscriptionId, premises.clock.time, stray.webhook_id);
    await stand.pass(0);
    expect(ours().webhook_id).toBe(known.webhook_id);
  });

  describe('is removed', () => {
    it('at Co-Pilot, and its key stays good for a minute', async () => {
      const before = ours();
      expect(await stand.subscription.remove()).toBe('removed');
      expect(upstream.webhooks.size).toBe(0);
      expect(state().state).toBe('none');
      expect(stand.subscription.byKey(keyOf(before))).not.toBeNull();
      await stand.pass(1);
      expect(upstream.webhooks.size).toBe(0);
      expect(await stand.subscription.remove()).toBe('nothing');
    });

    it('not where Co-Pilot does not do it', async () => {
      upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500 });
      expect(await stand.subscription.remove()).toEqual({ failed: 'Co-Pilot answered 500.' });
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    });
  });

  it('tells of each drift, and writes no key and no secret into log or description', async () => {
    const told: string[] = [];
    stand.subscription.onDrift(({ field }) => told.push(field));
    const { url, secret } = ours();
    upstream.misbehave('POST /v1/webhooks', { status: 422, body: { message: `${url} ${secret} refused` } });
    upstream.webhooks.clear();
    await stand.pass(CHECK_EVERY_MS);
    await until('the drift to be told', () => told.length === 1);
    expect(told).toEqual(['webhook']);
    const shown = premises.logged.join('') + JSON.stringify(state());
    for (const { body } of upstream.on('POST /v1/webhooks')) {
      const sent: UpstreamWebhook = JSON.parse(body);
      expect(shown).not.toContain(keyOf(sent));
      expect(shown).not.toContain(sent.secret);
    }
  });
});
