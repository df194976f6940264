import { until } from '../../support/until';
import { openWithWebhook, MINUTE_MS, CHECK_INTERVAL_MS, keyOf } from './registered-webhook';

describe('a registered webhook', () => {
  const { harness, start, settled, ours, state, reported, deleted, addSecond, notifyFrom, learn } =
    openWithWebhook();

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
      harness.upstream.webhookApi.createResponse = 'empty';
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
});
