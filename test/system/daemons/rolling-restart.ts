import { setTimeout as pause } from 'node:timers/promises';
import type { ReachabilityCheck } from '../../../src/contract/reachability';
import type { Stats } from '../../../src/contract/stats';
import type { Subscription } from '../../../src/contract/subscription';
import type { Daemon } from '../../support/daemon/daemon';
import { assertBalanced } from '../../support/daemon/ledger';
import { passTo } from '../../support/fakes/public-proxy';
import { RetryingSender } from '../../support/fakes/retrying-sender';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { until } from '../../support/until';
import { group } from './three-daemons';

const PER_SECOND = 20;

export function rollingRestart(): void {
  let target: WitnessTarget;
  let sender: RetryingSender;

  beforeAll(async () => {
    target = await WitnessTarget.start();
    await group.daemons[0]!.addTarget('witness', target.url);
    const balancer = group.inTurns({ skipsRefused: true });
    sender = new RetryingSender(balancer, PER_SECOND, group.webhook.webhook_id);
  });
  afterAll(async () => {
    sender?.cancel();
    await target?.close();
  });

  it('answer every notification with 200 at its first attempt, and deliver each', async () => {
    sender.start();
    await sender.waitForAcknowledged(PER_SECOND);
    for (const daemon of group.daemons) {
      expect(await daemon.stop()).toBe(0);
      await group.leader(daemon);
      await daemon.restart();
      await sender.waitForAcknowledged(PER_SECOND);
    }
    sender.stop();
    await sender.waitUntilFinished(60_000);
    const failed = sender.notifications.flatMap(({ attempts }) =>
      attempts.filter(({ status }) => status !== 200),
    );
    expect(failed).toEqual([]);
    const leader = await group.leader();
    await until(
      'everything is delivered',
      async () => (await leader.get<Stats>('/stats')).deliveries.open === 0,
    );
    const delivered = new Set(target.succeeded.map(({ hash }) => hash));
    expect(sender.notifications.filter(({ hash }) => !delivered.has(hash))).toEqual([]);
    // Nothing was interrupted, so nothing is sent twice.
    expect(target.received).toHaveLength(sender.notifications.length);
    await assertBalanced(leader);
  });

  it('are ready and reachable through open connections while one of them becomes the leader', async () => {
    const leader = await group.leader();
    const [next, last] = group.daemons.filter((daemon) => daemon !== leader) as [Daemon, Daemon];
    expect(await last.stop()).toBe(0);
    // It keeps its connections open, as load balancers do.
    group.proxy.behaviour = passTo(next.url);
    const statuses: number[] = [];
    const ask = () =>
      fetch(`${group.proxy.url}/readyz`).then(
        ({ status }) => statuses.push(status),
        // The connection was closed: a load balancer asks again.
        () => 0,
      );
    const ending = new AbortController();
    const asking = (async () => {
      while (!ending.signal.aborted) {
        await Promise.all([1, 2, 3, 4].map(ask));
        await pause(20);
      }
    })();
    let check: ReachabilityCheck | null = null;
    try {
      await until('it is asked', () => statuses.length > 0);
      expect(await leader.stop()).toBe(0);
      await group.leader(leader);
      await until('its reachability was checked', async () => {
        ({ reachability: check } = await next.get<Subscription>('/subscription'));
        return check !== null;
      });
    } finally {
      ending.abort();
      await asking;
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(check).toMatchObject({ cause: null });
  });
}
