import { join } from 'node:path';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { FakeCopilot, type FakeWebhook } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { clearPremises, makePremises, Stand, type Premises } from '../connection/connection-fixture';

const MINUTE_MS = 60_000;
const CHECK_EVERY_MS = 5 * MINUTE_MS;
const EVENTS = ['deal.created', 'task.created'];

const keyOf = ({ url }: FakeWebhook) => url.split('/').at(-1) ?? '';

describe('A registration that stands', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
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
  const ours = (): FakeWebhook => {
    expect(upstream.webhooks.size).toBe(1);
    return [...upstream.webhooks.values()][0]!;
  };
  const state = () => stand.subscriptionState();
  const updates = () => upstream.on('PATCH /v1/webhooks/:id').length;
  const reported = () => state().reported.map(({ webhook_id }) => webhook_id);
  const deleted = () =>
    upstream.on('DELETE /v1/webhooks/:id').map(({ path }) => path.slice('/v1/webhooks/'.length));
  const addSecond = (webhookId: string) => {
    const [known] = upstream.webhooks.values();
    upstream.webhooks.set(webhookId, { ...known!, webhook_id: webhookId });
  };
  /** A notification under our key, signed with our secret, that names this webhook. */
  const named = async (webhookId: string) => {
    const { subscriptionId } = stand.subscription.byKey(keyOf([...upstream.webhooks.values()][0]!))!;
    stand.subscription.recordNotification(subscriptionId, premises.clock.time, webhookId);
    await until('it to be shown', () => reported().includes(webhookId));
  };
  /** Has the registration made last learn its id from a notification. */
  const learn = async (webhookId: string) => {
    const { subscriptionId } = stand.subscription.byKey(keyOf([...upstream.webhooks.values()].at(-1)!))!;
    stand.subscription.recordNotification(subscriptionId, premises.clock.time, webhookId);
    await until('the id to be stored', () => state().webhook_id === webhookId);
  };

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
    ['rotation attempt', 2, () => stand.subscription.rotate(false)],
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
    await expect(stand.subscription.deleteWebhooks()).resolves.toBe('removed');
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
        sentence: expect.stringContaining('are lost'),
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

  it('that no check has found for more than three of them says so, and since when', async () => {
    const checkedAt = state().checked_at;
    upstream.revokeGrants();
    for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
    expect(stand.connectionState().state).toBe('consent_needed');
    expect(state().problem).not.toContain('It is unknown whether');
    await stand.pass(1);
    expect(stand.subscription.checkState).toBe('overdue');
    expect(state()).toMatchObject({
      state: 'active',
      sentence: expect.stringContaining(
        `It is unknown whether it still exists: it was last seen there at ${checkedAt}.`,
      ),
      remedy: expect.any(String),
    });
    await stand.connect(upstream);
    await settled();
    expect(state()).toMatchObject({ problem: null, remedy: null });
    expect(stand.subscription.checkState).toBe('recent');
  });

  it('is not known to be there or not right after a start, however long that took', async () => {
    await stand.close();
    premises.clock.time += 24 * 60 * MINUTE_MS;
    upstream.misbehave('GET /v1/webhooks', { status: 500 });
    upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
    await start();
    expect(stand.subscription.checkState).toBe('pending');
    await stand.pass(3 * CHECK_EVERY_MS + 1);
    expect(stand.subscription.checkState).toBe('overdue');
  });

  describe('whose check meets', () => {
    it.each([
      ['403', { status: 403 }, 'grant the webhooks scope'],
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
        problem: expect.any(String),
        remedy: remedy === null ? null : expect.stringContaining(remedy),
      });
      upstream.behave();
      await stand.pass(5_000);
      expect(state()).toMatchObject({
        sentence: 'Registered at Co-Pilot and receiving events.',
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
      expect(state().sentence).toContain('asked for no requests until');
      await stand.pass(MINUTE_MS);
      expect(upstream.requests.length).toBeGreaterThan(asked);
      expect(state()).toMatchObject({
        remedy: null,
        checked_at: new Date(premises.clock.time).toISOString(),
      });
    });
  });

  describe('beside which notifications name another webhook', () => {
    it('that no list shows leaves it alone, shows it, and has it deleted by the operator', async () => {
      const known = ours();
      upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
      addSecond('wh_9');
      await named('wh_9');
      for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
      expect(deleted()).toEqual([]);
      expect(state().reported).toEqual([
        {
          webhook_id: 'wh_9',
          named_at: expect.any(String),
          sentence: expect.stringContaining('Co-Pilot does not list it'),
        },
      ]);
      const found = { field: 'webhook_id', before: known.webhook_id, after: 'wh_9', outcome: 'kept' };
      await until('the drift to be stored', () => state().drift.length === 1);
      expect(state().drift).toMatchObject([found]);

      await stand.subscription.deleteReported('wh_9');
      expect(ours().webhook_id).toBe(known.webhook_id);
      expect(reported()).toEqual([]);
    });

    it("that is somebody else's leaves it alone", async () => {
      const { webhook_id } = upstream.addForeignWebhook('https://elsewhere.example/hooks/key');
      await named(webhook_id);
      await stand.pass(CHECK_EVERY_MS);
      await expect(stand.subscription.deleteWebhooks()).resolves.toBe('removed');
      expect(deleted()).not.toContain(webhook_id);
      expect(state().reported[0]?.sentence).toContain('https://elsewhere.example/hooks/…, which is not ours');
    });

    it('keeps the only one that the list shows, where they have another name for it', async () => {
      const { webhook_id } = ours();
      await named('1');
      for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
      expect(deleted()).toEqual([]);
      expect(state()).toMatchObject({ state: 'active', webhook_id });
    });

    it('makes it anew where the operator deletes it by another name', async () => {
      const before = ours();
      await named('1');
      upstream.watch('DELETE /v1/webhooks/:id', () => upstream.webhooks.clear());
      await stand.subscription.deleteReported('1');
      expect(ours().webhook_id).not.toBe(before.webhook_id);
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    });

    it('has those deleted that the list shows at our address, one a minute', async () => {
      const known = ours();
      for (const id of ['wh_7', 'wh_8', 'wh_9']) addSecond(id);
      for (let i = 0; i < 3; i += 1) await stand.subscription.repair();
      expect(deleted()).toEqual(['wh_7']);
      await stand.pass(MINUTE_MS - 1);
      await stand.subscription.repair();
      expect(deleted()).toEqual(['wh_7']);
      await stand.pass(1);
      await stand.subscription.repair();
      expect(deleted()).toEqual(['wh_7', 'wh_8']);
      await stand.pass(CHECK_EVERY_MS);
      expect(ours().webhook_id).toBe(known.webhook_id);
    });

    it('keeps ten of them, and deletes none that it does not show', async () => {
      for (let i = 0; i < 10; i += 1) await named(`wh_${i}`);
      const { subscriptionId } = stand.subscription.byKey(keyOf(ours()))!;
      for (let i = 10; i < 300; i += 1)
        stand.subscription.recordNotification(subscriptionId, premises.clock.time, `wh_${i}`);
      await stand.pass(CHECK_EVERY_MS);
      expect(reported()).toHaveLength(10);
      await expect(stand.subscription.deleteReported('wh_10')).rejects.toMatchObject({
        code: 'webhook_unknown',
      });
      expect(deleted()).toEqual([]);
    });
  });

  describe('whose id a notification alone has told', () => {
    beforeEach(async () => {
      await stand.close();
      clearPremises(premises);
      upstream.webhooks.clear();
      premises = makePremises();
      upstream.createAnswer = 'empty';
      upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
      await start();
      await stand.connect(upstream);
      await settled();
    });

    it('is not deleted by it', async () => {
      await learn(ours().webhook_id);
      expect(await stand.subscription.deleteWebhooks()).toEqual({
        failed: expect.stringContaining('its list does not contain the webhook'),
      });
      expect(deleted()).toEqual([]);
    });

    it('is checked by it, and known for good once the answer shows our address', async () => {
      await learn(ours().webhook_id);
      ours().active = false;
      await stand.pass(CHECK_EVERY_MS);
      expect(ours().active).toBe(true);
      expect(await stand.subscription.deleteWebhooks()).toBe('removed');
      expect(upstream.webhooks.size).toBe(0);
    });

    it('is left to the operator once a rotation has replaced it', async () => {
      const before = ours();
      await learn(before.webhook_id);
      await stand.subscription.rotate(false);
      for (let i = 0; i < 24 * 12 + 1; i += 1) await stand.pass(CHECK_EVERY_MS);
      expect(deleted()).toEqual([]);
      expect(state().reported).toMatchObject([
        { webhook_id: before.webhook_id, sentence: expect.stringContaining('a previous webhook') },
      ]);
      expect(stand.subscription.byKey(keyOf(before))).not.toBeNull();
      await stand.subscription.deleteReported(before.webhook_id);
      expect(ours().url).not.toBe(before.url);
      expect(state().reported).toEqual([]);
    });

    it("is not changed where the list shows it at somebody else's address", async () => {
      const foreign = { ...upstream.addForeignWebhook('https://elsewhere.example/hooks/key') };
      upstream.webhooks.delete(foreign.webhook_id);
      await learn(foreign.webhook_id);
      upstream.webhooks.set(foreign.webhook_id, { ...foreign });
      upstream.misbehave('GET /v1/webhooks', { status: 200, body: [{ ...foreign, secret: undefined }] });
      await stand.pass(CHECK_EVERY_MS);
      expect(upstream.webhooks.get(foreign.webhook_id)).toEqual(foreign);
      expect(state().foreign).toMatchObject([{ webhook_id: foreign.webhook_id }]);
    });

    it('stays where the API does not know that id', async () => {
      await learn('no-id-of-the-api');
      for (let i = 0; i < 3; i += 1) await stand.pass(CHECK_EVERY_MS);
      expect(upstream.on('POST /v1/webhooks')).toHaveLength(2);
      expect(state().state).toBe('active');
    });

    it('is known for good once a list shows it at our address', async () => {
      await learn(ours().webhook_id);
      upstream.behave();
      await stand.pass(CHECK_EVERY_MS);
      await expect(stand.subscription.deleteWebhooks()).resolves.toBe('removed');
      expect(upstream.webhooks.size).toBe(0);
    });
  });

  it('may have been stored with an id that is none: it is found anew in the list', async () => {
    const { webhook_id } = ours();
    await stand.close();
    const connection = new sqliteDriver(join(premises.dataDir, 'switchboard.db'));
    connection.exec("UPDATE subscriptions SET webhook_id = '..'");
    connection.close();
    await start();
    expect(state()).toMatchObject({ state: 'active', webhook_id });
    expect(
      upstream.requests.filter(({ path }) => !/^\/(oauth\/\w+|v1\/webhooks(\/\w+)?)$/.test(path)),
    ).toEqual([]);
  });

  describe('is removed', () => {
    it('at Co-Pilot, and its key stays good for a minute', async () => {
      const before = ours();
      expect(await stand.subscription.deleteWebhooks()).toBe('removed');
      expect(upstream.webhooks.size).toBe(0);
      expect(state().state).toBe('none');
      expect(stand.subscription.byKey(keyOf(before))).not.toBeNull();
      await stand.pass(1);
      expect(upstream.webhooks.size).toBe(0);
      expect(await stand.subscription.deleteWebhooks()).toBe('nothing');
    });

    it('not where Co-Pilot does not do it', async () => {
      upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500 });
      expect(await stand.subscription.deleteWebhooks()).toEqual({ failed: 'Co-Pilot answered 500.' });
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
      const sent: FakeWebhook = JSON.parse(body);
      expect(shown).not.toContain(keyOf(sent));
      expect(shown).not.toContain(sent.secret);
    }
  });
});
