import { DriftStore } from '../../../src/relay/subscription/drift.store';
import type { FakeWebhook } from '../../support/fakes/copilot-webhooks';
import { until } from '../../support/until';
import { openWithWebhook, CHECK_INTERVAL_MS, EVENTS, keyOf } from './registered-webhook';

describe('a registered webhook', () => {
  const { harness, restart, ours, state } = openWithWebhook();

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

  it('shows no drift if there is none', async () => {
    for (let i = 0; i < 3; i += 1) await harness.advance(CHECK_INTERVAL_MS);
    await restart();
    expect(state().drift).toEqual([]);
  });
});
