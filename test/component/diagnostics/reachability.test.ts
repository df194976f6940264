import { ReachabilityProbe } from '../../../src/relay/diagnostics/reachability/reachability-probe';
import { ReachabilityModule } from '../../../src/relay/diagnostics/reachability/reachability.module';
import { PublicProxy } from '../../support/fakes/public-proxy';
import { FakeCopilot } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { clearPremises, makePremises, Stand, type Premises } from '../connection/connection-fixture';

const MINUTE_MS = 60_000;

describe('The proof of the loop', () => {
  let upstream: FakeCopilot;
  let front: PublicProxy;
  let premises: Premises;
  let stand: Stand;
  let proof: ReachabilityProbe;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    front = await PublicProxy.startPlain();
    premises = makePremises();
    stand = await Stand.open(premises, upstream, { PUBLIC_URL: front.url }, [ReachabilityModule]);
    proof = stand.app.get(ReachabilityProbe);
    proof.start();
    stand.subscription.start();
    await stand.connect(upstream);
    await stand.subscription.ensureRegistered();
    await until('the first proof', () => probe() !== null);
  });
  afterEach(async () => {
    await stand.close();
    await front.close();
    await upstream.close();
    clearPremises(premises);
  });

  const probe = () => stand.subscriptionState().probe;
  /** The next one is due after so long, and not a moment before. */
  const next = async (ms: number) => {
    const before = front.paths.length;
    const run = jest.spyOn(proof, 'run');
    premises.clock.time += ms - 1;
    proof.tick();
    expect(run).not.toHaveBeenCalled();
    premises.clock.time += 1;
    proof.tick();
    expect(run).toHaveBeenCalled();
    await proof.run();
    run.mockRestore();
    expect(front.paths).toHaveLength(before + 1);
  };

  it('is made again a minute after one that failed, and every quarter of an hour then', async () => {
    await next(MINUTE_MS);
    await next(15 * MINUTE_MS);
    await next(15 * MINUTE_MS);
    expect(probe()).toMatchObject({ cause: 'proxy', failures: 4 });
  });

  it('is not made while nothing is to come in', async () => {
    await stand.subscription.setPaused(true);
    const run = jest.spyOn(proof, 'run');
    premises.clock.time += 60 * MINUTE_MS;
    proof.tick();
    expect(run).not.toHaveBeenCalled();
  });

  it('counts no failure while notifications arrive, where none has ever come through', async () => {
    const { subscriptionId } = stand.subscription.byKey(
      [...upstream.webhooks.values()][0]!.url.split('/').at(-1)!,
    )!;
    stand.subscription.recordNotification(subscriptionId, premises.clock.time, null);
    await next(MINUTE_MS);
    await next(15 * MINUTE_MS);
    expect(probe()).toMatchObject({ cause: 'proxy', failures: 0 });
  });
});
