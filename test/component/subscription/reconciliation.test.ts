import { join } from 'node:path';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';

import { openWithWebhook, MINUTE_MS, CHECK_INTERVAL_MS, EVENTS, keyOf } from './registered-webhook';

describe('a registered webhook', () => {
  const { harness, start, settled, restart, ours, state, updates } = openWithWebhook();

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

  it('is checked again if the operator requests a repair during a check, which may have read before', async () => {
    const before = updates();
    const requested: Promise<void>[] = [];
    harness.upstream.watch('PATCH /v1/webhooks/:id', () => {
      if (requested.length === 0) requested.push(harness.actions.repair(), harness.actions.repair());
    });
    await harness.advance(CHECK_INTERVAL_MS);
    await Promise.all(requested);
    expect(updates()).toBe(before + 2);
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
      harness.upstream.webhookApi.paging = paging;
      await harness.advance(CHECK_INTERVAL_MS);
      expect(mine.active).toBe(true);
      expect(state().drift).toMatchObject([{ field: 'active', outcome: 'repaired' }]);
      expect(state().foreign).toHaveLength(2);
    },
  );

  it('is not considered deleted if a page of the list does not contain it', async () => {
    harness.upstream.webhookApi.paging = 'unmarked';
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
    harness.upstream.grants.revoke();
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
});
