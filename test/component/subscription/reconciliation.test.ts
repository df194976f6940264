import { join } from 'node:path';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { DriftStore } from '../../../src/relay/subscription/drift.store';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { type FakeWebhook } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

const MINUTE_MS = 60_000;
const CHECK_INTERVAL_MS = 5 * MINUTE_MS;
const EVENTS = ['deal.created', 'task.created'];

const keyOf = ({ url }: FakeWebhook) => url.split('/').at(-1) ?? '';

describe('a registered webhook', () => {
  const harness = useFeatureHarness();
  beforeEach(async () => {
    await start();
    await harness.connect();
    await settled();
    // The first check finds it in the list at its URL.
    await harness.advance(CHECK_INTERVAL_MS);
  });

  const start = async () => {
    await harness.open({ COPILOT_EVENTS: EVENTS.join(',') });
    harness.listen();
    await harness.advance(0);
    await settled();
  };
  const settled = () => harness.subscriptionWorker.ensureRegistered();
  const restart = async () => {
    await harness.close();
    await start();
  };
  const ours = (): FakeWebhook => {
    expect(harness.upstream.webhooks.size).toBe(1);
    return [...harness.upstream.webhooks.values()][0]!;
  };
  const state = () => harness.subscriptionState();
  const updates = () => harness.upstream.on('PATCH /v1/webhooks/:id').length;
  const reported = () => state().reported.map(({ webhook_id }) => webhook_id);
  const deleted = () =>
    harness.upstream.on('DELETE /v1/webhooks/:id').map(({ path }) => path.slice('/v1/webhooks/'.length));
  const addSecond = (webhookId: string) => {
    const [known] = harness.upstream.webhooks.values();
    harness.upstream.webhooks.set(webhookId, { ...known!, webhook_id: webhookId });
  };
  /** A valid notification with our key that names this webhook. */
  const notifyFrom = async (webhookId: string) => {
    const { subscriptionId } = harness.keys.byKey(keyOf([...harness.upstream.webhooks.values()][0]!))!;
    harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, webhookId);
    await until('it to be reported', () => reported().includes(webhookId));
  };
  /** The newest registration learns its id from a notification. */
  const learn = async (webhookId: string) => {
    const { subscriptionId } = harness.keys.byKey(keyOf([...harness.upstream.webhooks.values()].at(-1)!))!;
    harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, webhookId);
    await until('the id to be stored', () => state().webhook_id === webhookId);
  };

  it('is checked every five minutes', async () => {
    const before = updates();
    await harness.advance(CHECK_INTERVAL_MS - 1);
    expect(updates()).toBe(before);
    await harness.advance(1);
    expect(updates()).toBe(before + 1);
    expect(state().checked_at).toBe(new Date(harness.workspace.clock.time).toISOString());
  });

  it('is checked immediately when the operator requests a repair', async () => {
    ours().active = false;
    await harness.actions.repair();
    expect(ours().active).toBe(true);
    expect(state().drift).toHaveLength(1);
  });

  it.each([
    ['repair', 0, () => harness.actions.repair()],
    ['rotation', 2, () => harness.actions.rotate(false)],
    ['pausing', 1, () => harness.actions.setPaused(true)],
    ['resuming', 1, () => harness.actions.setPaused(false)],
  ])(
    'is checked again automatically after %s failed because the disk was full',
    async (_, written, action) => {
      const change = harness.journal.change.bind(harness.journal);
      let left = written;
      const full = jest.spyOn(harness.journal, 'change').mockImplementation((...given) => {
        left -= 1;
        if (left >= 0) return change(...given);
        return Promise.reject(new RelayError('storage_failed', 503, 'The disk is full.'));
      });
      await expect(action()).rejects.toMatchObject({ code: 'storage_failed' });
      full.mockRestore();
      harness.upstream.webhooks.clear();
      await harness.advance(CHECK_INTERVAL_MS);
      expect(state().webhook_id).toBe(ours().webhook_id);
      const before = updates();
      for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
      expect(updates()).toBeGreaterThanOrEqual(before + 3);
    },
  );

  it('shows no drift if there is none', async () => {
    for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
    await restart();
    expect(state().drift).toEqual([]);
  });

  describe('that was changed at Co-Pilot', () => {
    it.each([
      [
        'in its events',
        { events: ['deal.deleted'] },
        { field: 'events', before: 'deal.created, task.created', after: 'deal.deleted' },
      ],
      ['in its active flag', { active: false }, { field: 'active', before: 'active', after: 'paused' }],
    ])('%s is repaired, and the drift is shown with before and after', async (_, change, drift) => {
      const { webhook_id } = ours();
      Object.assign(ours(), change);
      await harness.advance(CHECK_INTERVAL_MS);
      expect(ours()).toMatchObject({ webhook_id, active: true, events: EVENTS });
      const at = new Date(harness.workspace.clock.time).toISOString();
      expect(state().drift).toEqual([{ at, ...drift, outcome: 'repaired' }]);
      await restart();
      expect(state().drift).toEqual([{ at, ...drift, outcome: 'repaired' }]);
    });

    it('in a way that an update cannot repair is shown once as kept', async () => {
      const response = { ...ours(), events: ['deal.created'], secret: undefined };
      harness.upstream.misbehave('PATCH /v1/webhooks/:id', { status: 200, body: response });
      harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [response] });
      for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
      const kept = state().drift.filter(({ outcome }) => outcome === 'kept');
      expect(kept).toMatchObject([
        { field: 'events', before: 'deal.created, task.created', after: 'deal.created' },
      ]);
      expect(state().events).toEqual(['deal.created']);
    });

    it('to have another URL is replaced by one with another key, and deleted', async () => {
      const before = { ...ours() };
      ours().url = 'https://elsewhere.example/taken/over?token=1';
      await harness.advance(CHECK_INTERVAL_MS);
      await harness.advance(CHECK_INTERVAL_MS);
      expect(ours().webhook_id).not.toBe(before.webhook_id);
      expect(keyOf(ours())).not.toBe(keyOf(before));
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      expect(state().drift).toMatchObject([
        { field: 'url', after: 'https://elsewhere.example/taken/…', outcome: 'repaired' },
      ]);
    });

    it('by being deleted is replaced', async () => {
      const { webhook_id } = ours();
      harness.upstream.webhooks.clear();
      await harness.advance(CHECK_INTERVAL_MS);
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
      expect(state().drift).toMatchObject([
        { field: 'webhook', before: webhook_id, after: 'deleted', outcome: 'repaired' },
      ]);
    });

    it('keeps the newest twenty drifts', async () => {
      for (let i = 0; i < 22; i += 1) {
        ours().events = [`deal.${i}`];
        await harness.advance(CHECK_INTERVAL_MS);
      }
      await restart();
      const after = state().drift.map((drift) => drift.after);
      expect(after).toEqual(Array.from({ length: 20 }, (_, i) => `deal.${21 - i}`));
    });
  });

  it('is not considered deleted or changed if the list masks URLs', async () => {
    await harness.replaceWorkspace();
    harness.upstream.webhooks.clear();
    harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
    await start();
    await harness.connect();
    await settled();
    const { webhook_id } = ours();
    const maskedWebhook = { webhook_id, url: 'https://hub.example/hooks/****', events: EVENTS, active: true };
    harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [maskedWebhook] });
    for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
    expect(ours().webhook_id).toBe(webhook_id);
    expect(state().drift).toEqual([]);
  });

  it.each(['cursor', 'page', 'link', 'next'] as const)(
    'is found after the first page of a list that is paged by: %s',
    async (paging) => {
      const mine = { ...ours(), active: false };
      harness.upstream.webhooks.clear();
      for (const name of ['a', 'b']) harness.upstream.addForeignWebhook(`https://${name}.example/hooks/key`);
      harness.upstream.webhooks.set(mine.webhook_id, mine);
      harness.upstream.paging = paging;
      await harness.advance(CHECK_INTERVAL_MS);
      expect(mine.active).toBe(true);
      expect(state().drift).toMatchObject([{ field: 'active', outcome: 'repaired' }]);
      expect(state().foreign).toHaveLength(2);
    },
  );

  it('is not considered deleted if a page of the list does not contain it', async () => {
    harness.upstream.paging = 'unmarked';
    const mine = ours();
    harness.upstream.webhooks.clear();
    harness.upstream.addForeignWebhook('https://a.example/');
    harness.upstream.webhooks.set(mine.webhook_id, mine);
    await harness.advance(CHECK_INTERVAL_MS);
    expect(state()).toMatchObject({ state: 'active', webhook_id: mine.webhook_id });
    expect(harness.upstream.on('POST /v1/webhooks')).toHaveLength(1);
  });

  it('is shown beside foreign webhooks, which are masked and never changed', async () => {
    const { webhook_id } = harness.upstream.addForeignWebhook(
      'https://hub.example/hooks/of-another-laptop?token=1',
    );
    harness.upstream.addForeignWebhook('https://user:password@elsewhere.example/secret');
    await harness.advance(CHECK_INTERVAL_MS);
    expect(state().foreign).toMatchObject([
      { webhook_id, url: 'https://hub.example/hooks/…', events: ['deal.created'], active: true },
      { url: 'https://elsewhere.example/…' },
    ]);
    await expect(harness.actions.deleteWebhooks()).resolves.toBe('removed');
    expect(harness.upstream.webhooks.size).toBe(2);
  });

  describe('that the operator has paused', () => {
    it('stays paused across checks and restarts, and says what is lost', async () => {
      await harness.actions.setPaused(true);
      expect(ours().active).toBe(false);
      for (let i = 0; i < 2; i += 1) await harness.advance(CHECK_INTERVAL_MS);
      await restart();
      expect(ours().active).toBe(false);
      expect(state()).toMatchObject({
        state: 'paused',
        sentence: expect.stringContaining('are lost'),
        remedy: expect.stringContaining('pause the targets'),
        drift: [],
      });
      await harness.actions.setPaused(false);
      expect(ours().active).toBe(true);
      expect(state()).toMatchObject({ state: 'active', remedy: null, drift: [] });
    });

    it('is paused automatically later if Co-Pilot fails', async () => {
      harness.upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
      await harness.actions.setPaused(true);
      expect(state()).toMatchObject({ state: 'paused', sentence: expect.stringContaining('500') });
      harness.upstream.behave();
      await harness.advance(5_000);
      expect(ours().active).toBe(false);
    });

    it('is paused again if it was resumed at Co-Pilot, which is shown as drift', async () => {
      await harness.actions.setPaused(true);
      ours().active = true;
      await harness.advance(CHECK_INTERVAL_MS);
      expect(ours().active).toBe(false);
      expect(state().drift).toMatchObject([{ field: 'active', before: 'paused', after: 'active' }]);
    });

    it('has a replacement that is paused too', async () => {
      await harness.actions.setPaused(true);
      harness.upstream.webhooks.clear();
      await harness.advance(CHECK_INTERVAL_MS);
      expect(ours().active).toBe(false);
      expect(state().state).toBe('paused');
    });
  });

  it('says since when it was not seen, after more than three failed checks', async () => {
    const checkedAt = state().checked_at;
    harness.upstream.revokeGrants();
    for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
    expect(harness.connectionState().state).toBe('consent_needed');
    expect(state().problem).not.toContain('It is unknown whether');
    await harness.advance(1);
    expect(harness.checkState).toBe('overdue');
    expect(state()).toMatchObject({
      state: 'active',
      sentence: expect.stringContaining(
        `It is unknown whether it still exists: it was last seen there at ${checkedAt}.`,
      ),
      remedy: expect.any(String),
    });
    await harness.connect();
    await settled();
    expect(state()).toMatchObject({ problem: null, remedy: null });
    expect(harness.checkState).toBe('recent');
  });

  it('has a pending check state right after a start, even after a long stop', async () => {
    await harness.close();
    harness.workspace.clock.time += 24 * 60 * MINUTE_MS;
    harness.upstream.misbehave('GET /v1/webhooks', { status: 500 });
    harness.upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
    await start();
    expect(harness.checkState).toBe('pending');
    await harness.advance(3 * CHECK_INTERVAL_MS + 1);
    expect(harness.checkState).toBe('overdue');
  });

  describe('whose check fails with', () => {
    it.each([
      ['403', { status: 403 }, 'grant the webhooks scope'],
      ['401', { status: 401 }, 'connect again'],
      ['500', { status: 500 }, null],
      ['no response', 'drop_request' as const, 'COPILOT_BASE_URL'],
      ['a redirect', { status: 302 }, 'COPILOT_BASE_URL'],
    ])('%s stays active, shows the remedy, and recovers automatically', async (_, misbehaviour, remedy) => {
      for (const route of ['GET /v1/webhooks', 'PATCH /v1/webhooks/:id'] as const)
        harness.upstream.misbehave(route, misbehaviour);
      await harness.advance(CHECK_INTERVAL_MS);
      expect(state()).toMatchObject({
        state: 'active',
        sentence: expect.stringContaining('the last check failed'),
        problem: expect.any(String),
        remedy: remedy === null ? null : expect.stringContaining(remedy),
      });
      harness.upstream.behave();
      await harness.advance(5_000);
      expect(state()).toMatchObject({
        sentence: 'Registered and active at Co-Pilot.',
        remedy: null,
      });
      expect(harness.upstream.on('POST /v1/webhooks')).toHaveLength(1);
    });

    it.each([
      ['seconds', () => '600'],
      ['a date', () => new Date(harness.workspace.clock.time + 10 * MINUTE_MS).toUTCString()],
    ])('429 is not checked again until the time in Retry-After, given in %s', async (_, after) => {
      harness.workspace.clock.time += CHECK_INTERVAL_MS;
      const response = { status: 429, headers: { 'retry-after': after() } };
      harness.upstream.misbehave('GET /v1/webhooks', response, 1);
      await harness.advance(0);
      const requests = harness.upstream.requests.length;
      await harness.actions.repair();
      await harness.advance(9 * MINUTE_MS);
      expect(harness.upstream.requests).toHaveLength(requests);
      expect(state().sentence).toContain('asked for no requests until');
      await harness.advance(MINUTE_MS);
      expect(harness.upstream.requests.length).toBeGreaterThan(requests);
      expect(state()).toMatchObject({
        remedy: null,
        checked_at: new Date(harness.workspace.clock.time).toISOString(),
      });
    });
  });

  describe('beside another webhook that notifications name', () => {
    it('that no list shows, reports it for the operator to delete', async () => {
      const known = ours();
      harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
      addSecond('wh_9');
      await notifyFrom('wh_9');
      for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
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

      await harness.actions.deleteReported('wh_9');
      expect(ours().webhook_id).toBe(known.webhook_id);
      expect(reported()).toEqual([]);
    });

    it('that is foreign, never deletes it', async () => {
      const { webhook_id } = harness.upstream.addForeignWebhook('https://elsewhere.example/hooks/key');
      await notifyFrom(webhook_id);
      await harness.advance(CHECK_INTERVAL_MS);
      await expect(harness.actions.deleteWebhooks()).resolves.toBe('removed');
      expect(deleted()).not.toContain(webhook_id);
      expect(state().reported[0]?.sentence).toContain('https://elsewhere.example/hooks/…, which is not ours');
    });

    it('is kept if it is the only one in the list, and they name it differently', async () => {
      const { webhook_id } = ours();
      await notifyFrom('1');
      for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
      expect(deleted()).toEqual([]);
      expect(state()).toMatchObject({ state: 'active', webhook_id });
    });

    it('is replaced if the operator deletes it by that other id', async () => {
      const before = ours();
      await notifyFrom('1');
      harness.upstream.watch('DELETE /v1/webhooks/:id', () => harness.upstream.webhooks.clear());
      await harness.actions.deleteReported('1');
      expect(ours().webhook_id).not.toBe(before.webhook_id);
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    });

    it('deletes those that the list shows at our URL, one per minute', async () => {
      const known = ours();
      for (const id of ['wh_7', 'wh_8', 'wh_9']) addSecond(id);
      for (let i = 0; i < 3; i += 1) await harness.actions.repair();
      expect(deleted()).toEqual(['wh_7']);
      await harness.advance(MINUTE_MS - 1);
      await harness.actions.repair();
      expect(deleted()).toEqual(['wh_7']);
      await harness.advance(1);
      await harness.actions.repair();
      expect(deleted()).toEqual(['wh_7', 'wh_8']);
      await harness.advance(CHECK_INTERVAL_MS);
      expect(ours().webhook_id).toBe(known.webhook_id);
    });

    it('reports at most ten of them, and deletes none that is not reported', async () => {
      for (let i = 0; i < 10; i += 1) await notifyFrom(`wh_${i}`);
      const { subscriptionId } = harness.keys.byKey(keyOf(ours()))!;
      for (let i = 10; i < 300; i += 1)
        harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, `wh_${i}`);
      await harness.advance(CHECK_INTERVAL_MS);
      expect(reported()).toHaveLength(10);
      await expect(harness.actions.deleteReported('wh_10')).rejects.toMatchObject({
        code: 'webhook_unknown',
      });
      expect(deleted()).toEqual([]);
    });
  });

  describe('whose id is known only from a notification', () => {
    beforeEach(async () => {
      await harness.replaceWorkspace();
      harness.upstream.webhooks.clear();
      harness.upstream.createResponse = 'empty';
      harness.upstream.misbehave('GET /v1/webhooks', { status: 200, body: [] });
      await start();
      await harness.connect();
      await settled();
    });

    it('is not deleted by that id', async () => {
      await learn(ours().webhook_id);
      expect(await harness.actions.deleteWebhooks()).toEqual({
        failed: expect.stringContaining('its list does not contain the webhook'),
      });
      expect(deleted()).toEqual([]);
    });

    it('is checked by that id, which is confirmed once the response shows our URL', async () => {
      await learn(ours().webhook_id);
      ours().active = false;
      await harness.advance(CHECK_INTERVAL_MS);
      expect(ours().active).toBe(true);
      expect(await harness.actions.deleteWebhooks()).toBe('removed');
      expect(harness.upstream.webhooks.size).toBe(0);
    });

    it('must be deleted by the operator once a rotation has replaced it', async () => {
      const before = ours();
      await learn(before.webhook_id);
      await harness.actions.rotate(false);
      for (let i = 0; i < 24 * 12 + 1; i += 1) await harness.advance(CHECK_INTERVAL_MS);
      expect(deleted()).toEqual([]);
      expect(state().reported).toMatchObject([
        { webhook_id: before.webhook_id, sentence: expect.stringContaining('a previous webhook') },
      ]);
      expect(harness.keys.byKey(keyOf(before))).not.toBeNull();
      await harness.actions.deleteReported(before.webhook_id);
      expect(ours().url).not.toBe(before.url);
      expect(state().reported).toEqual([]);
    });

    it('is not changed if the list shows it at a foreign URL', async () => {
      const foreign = { ...harness.upstream.addForeignWebhook('https://elsewhere.example/hooks/key') };
      harness.upstream.webhooks.delete(foreign.webhook_id);
      await learn(foreign.webhook_id);
      harness.upstream.webhooks.set(foreign.webhook_id, { ...foreign });
      harness.upstream.misbehave('GET /v1/webhooks', {
        status: 200,
        body: [{ ...foreign, secret: undefined }],
      });
      await harness.advance(CHECK_INTERVAL_MS);
      expect(harness.upstream.webhooks.get(foreign.webhook_id)).toEqual(foreign);
      expect(state().foreign).toMatchObject([{ webhook_id: foreign.webhook_id }]);
    });

    it('is kept if the API does not know that id', async () => {
      await learn('no-id-of-the-api');
      for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
      expect(harness.upstream.on('POST /v1/webhooks')).toHaveLength(2);
      expect(state().state).toBe('active');
    });

    it('has a confirmed id once a list shows it at our URL', async () => {
      await learn(ours().webhook_id);
      harness.upstream.behave();
      await harness.advance(CHECK_INTERVAL_MS);
      await expect(harness.actions.deleteWebhooks()).resolves.toBe('removed');
      expect(harness.upstream.webhooks.size).toBe(0);
    });
  });

  it('is found in the list if its stored id is invalid', async () => {
    const { webhook_id } = ours();
    await harness.close();
    const connection = new sqliteDriver(join(harness.workspace.dataDir, 'switchboard.db'));
    connection.exec("UPDATE subscriptions SET webhook_id = '..'");
    connection.close();
    await start();
    expect(state()).toMatchObject({ state: 'active', webhook_id });
    expect(
      harness.upstream.requests.filter(({ path }) => !/^\/(oauth\/\w+|v1\/webhooks(\/\w+)?)$/.test(path)),
    ).toEqual([]);
  });

  describe('that is removed', () => {
    it('is deleted at Co-Pilot, and its key is accepted for another minute', async () => {
      const before = ours();
      expect(await harness.actions.deleteWebhooks()).toBe('removed');
      expect(harness.upstream.webhooks.size).toBe(0);
      expect(state().state).toBe('none');
      expect(harness.keys.byKey(keyOf(before))).not.toBeNull();
      await harness.advance(1);
      expect(harness.upstream.webhooks.size).toBe(0);
      expect(await harness.actions.deleteWebhooks()).toBe('nothing');
    });

    it('stays registered if Co-Pilot does not delete it', async () => {
      harness.upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500 });
      expect(await harness.actions.deleteWebhooks()).toEqual({ failed: 'Co-Pilot responded with 500.' });
      expect(state()).toMatchObject({ state: 'active', webhook_id: ours().webhook_id });
    });
  });

  it('publishes each drift, and writes no key or secret into log or description', async () => {
    const drifts: string[] = [];
    harness.app.get(DriftStore, { strict: false }).onDrift(({ field }) => drifts.push(field));
    const { url, secret } = ours();
    harness.upstream.misbehave('POST /v1/webhooks', {
      status: 422,
      body: { message: `${url} ${secret} refused` },
    });
    harness.upstream.webhooks.clear();
    await harness.advance(CHECK_INTERVAL_MS);
    await until('the drift to be published', () => drifts.length === 1);
    expect(drifts).toEqual(['webhook']);
    const shown = harness.workspace.logged.join('') + JSON.stringify(state());
    for (const { body } of harness.upstream.on('POST /v1/webhooks')) {
      const sent: FakeWebhook = JSON.parse(body);
      expect(shown).not.toContain(keyOf(sent));
      expect(shown).not.toContain(sent.secret);
    }
  });
});
