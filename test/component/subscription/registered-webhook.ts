import type { FakeWebhook } from '../../support/fakes/copilot-webhooks';
import { until } from '../../support/until';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

export const MINUTE_MS = 60_000;
export const CHECK_INTERVAL_MS = 5 * MINUTE_MS;
export const EVENTS = ['deal.created', 'task.created'];

export const keyOf = ({ url }: FakeWebhook) => url.split('/').at(-1) ?? '';

/** A registered webhook before each test, and what its tests do and see. */
export function openWithWebhook() {
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

  return {
    harness,
    start,
    settled,
    restart,
    ours,
    state,
    updates,
    reported,
    deleted,
    addSecond,
    notifyFrom,
    learn,
  };
}
