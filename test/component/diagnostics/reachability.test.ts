import { ReachabilityWorker } from '../../../src/relay/diagnostics/reachability/reachability.worker';
import { ReachabilityModule } from '../../../src/relay/diagnostics/reachability/reachability.module';
import { PublicProxy } from '../../support/fakes/public-proxy';
import { until } from '../../support/until';
import { FeatureHarness, useFeatureHarness } from '../../support/daemon/feature-harness';

const MINUTE_MS = 60_000;

describe('the reachability check', () => {
  const harness = useFeatureHarness(new FeatureHarness([ReachabilityModule]));
  let proxy: PublicProxy;
  let worker: ReachabilityWorker;

  beforeEach(async () => {
    proxy = await PublicProxy.startPlain();
    await harness.open({ PUBLIC_URL: proxy.url });
    worker = harness.app.get(ReachabilityWorker);
    worker.onListening();
    harness.listen();
    await harness.connect();
    await harness.subscriptionWorker.ensureRegistered();
    await until('the first check', () => lastCheck() !== null);
  });
  afterEach(() => proxy.close());

  const lastCheck = () => worker.last;
  /** Expects the next check after exactly `ms`. */
  const expectNextAfter = async (ms: number) => {
    const before = proxy.paths.length;
    const run = jest.spyOn(worker, 'run');
    harness.workspace.clock.time += ms - 1;
    worker.tick();
    expect(run).not.toHaveBeenCalled();
    harness.workspace.clock.time += 1;
    worker.tick();
    expect(run).toHaveBeenCalled();
    await worker.run();
    run.mockRestore();
    expect(proxy.paths).toHaveLength(before + 1);
  };

  it('runs again a minute after a failure, then every 15 minutes', async () => {
    await expectNextAfter(MINUTE_MS);
    await expectNextAfter(15 * MINUTE_MS);
    await expectNextAfter(15 * MINUTE_MS);
    expect(lastCheck()).toMatchObject({ cause: 'proxy', failures: 4 });
  });

  it('does not run while the webhook is paused', async () => {
    await harness.actions.setPaused(true);
    const run = jest.spyOn(worker, 'run');
    harness.workspace.clock.time += 60 * MINUTE_MS;
    worker.tick();
    expect(run).not.toHaveBeenCalled();
  });

  it('counts no failures while notifications arrive, if no check has ever succeeded', async () => {
    const { subscriptionId } = harness.keys.byKey(
      [...harness.upstream.webhooks.values()][0]!.url.split('/').at(-1)!,
    )!;
    harness.keys.recordNotification(subscriptionId, harness.workspace.clock.time, null);
    await expectNextAfter(MINUTE_MS);
    await expectNextAfter(15 * MINUTE_MS);
    expect(lastCheck()).toMatchObject({ cause: 'proxy', failures: 0 });
  });
});
