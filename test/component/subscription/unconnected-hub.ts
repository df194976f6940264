import type { FakeWebhook } from '../../support/fakes/copilot-webhooks';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

export const keyOf = (url: string) => url.split('/').at(-1) ?? '';

/** A hub without an authorization before each test, and what its tests do and see. */
export function openUnconnected() {
  const harness = useFeatureHarness();
  beforeEach(() => harness.open());

  /** Stops the daemon, starts it, and runs what is due once it listens. */
  const restart = async (environment: Record<string, string> = {}) => {
    await harness.close();
    await start(environment);
  };
  const start = async (environment: Record<string, string> = {}) => {
    await harness.open(environment);
    harness.listen();
    await harness.advance(0);
    await settled();
  };
  /** Waits for the reconciliation in progress. */
  const settled = () => harness.subscriptionWorker.ensureRegistered();
  const connect = async () => {
    harness.listen();
    await harness.connect();
    await settled();
  };
  const registered = (): FakeWebhook[] => [...harness.upstream.webhooks.values()];
  const creates = () => harness.upstream.on('POST /v1/webhooks');
  const ours = (): FakeWebhook => {
    expect(registered()).toHaveLength(1);
    return registered()[0]!;
  };

  return { harness, restart, start, settled, connect, registered, creates, ours };
}
