import { setTimeout as pause } from 'node:timers/promises';
import type { Stats } from '../../src/contract/stats';
import type { Daemon } from '../support/daemon/daemon';
import { DaemonGroup } from '../support/daemon/daemon-group';
import { assertBalanced } from '../support/daemon/ledger';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { WitnessTarget } from '../support/fakes/witness-target';
import { TestPostgres } from '../support/postgres';
import { findFaults, NO_FAULTS, renewals } from '../support/runs/daemon-faults';
import { report } from '../support/runs/report';
import { until } from '../support/until';

const PER_SECOND = Number(process.env['PER_SECOND'] ?? 150);
const DEALS = 500;
const MINUTES = Number(process.env['MINUTES'] ?? 10);
const TOKEN_SECONDS = 60;
const OUTAGE_MS = 60_000;
/** Longer than a query may take. */
const LONG_STALL_MS = 40_000;
const DRAINED_WITHIN_MS = 300_000;

describe('three daemons under load, and their server, that keep failing', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;
  let target: WitnessTarget;
  let sender: RetryingSender;

  beforeAll(async () => {
    postgres = await TestPostgres.startOwn();
    target = await WitnessTarget.start();
    target.delayMs = 10;
    group = await DaemonGroup.start(postgres, 3, TOKEN_SECONDS);
    await group.daemons[0]!.addTarget('witness', target.url, {
      policy: { ordering: 'entity', concurrency: 64 },
    });
    sender = new RetryingSender(group.inTurns(), PER_SECOND, group.webhook.webhook_id, 1, DEALS);
  });
  afterAll(async () => {
    sender?.cancel();
    await group?.close();
    await target?.close();
    await postgres?.stop();
  });

  const freeze = async (leader: Daemon) => {
    process.kill(leader.pid, 'SIGSTOP');
    const next = await group.leader(leader);
    process.kill(leader.pid, 'SIGCONT');
    return next;
  };
  const kill = async (leader: Daemon) => {
    await leader.kill();
    const next = await group.leader(leader);
    await leader.restart();
    return next;
  };
  const stop = async (leader: Daemon) => {
    expect(await leader.stop()).toBe(0);
    const next = await group.leader(leader);
    await leader.restart();
    return next;
  };
  const stall = async (leader: Daemon) => {
    group.linkOf(leader).stall();
    const next = await group.leader(leader);
    group.linkOf(leader).resume();
    return next;
  };
  const stallForLong = async (leader: Daemon) => {
    group.linkOf(leader).stall();
    const next = await group.leader(leader);
    const receiving = group.daemons.find((one) => one !== leader && one !== next)!;
    group.linkOf(receiving).stall();
    await pause(LONG_STALL_MS);
    for (const daemon of [leader, receiving]) group.linkOf(daemon).resume();
    return next;
  };
  const crashServer = async () => {
    await postgres.own.stop('SIGQUIT');
    await postgres.own.start();
    return group.leader();
  };
  const stopServer = async () => {
    await postgres.own.stop();
    await pause(OUTAGE_MS);
    await postgres.own.start();
    return group.leader();
  };

  it(
    'lose nothing, keep the order, renew each token once and have one webhook',
    async () => {
      sender.start();
      const endsAt = performance.now() + MINUTES * 60_000;
      let leader = group.daemons[0]!;
      const faults = [freeze, stall, kill, stop, crashServer, stallForLong, stop, kill, freeze, stopServer];
      const durations: string[] = [];
      for (let n = 0; performance.now() < endsAt; n += 1) {
        await sender.waitForAcknowledged(3 * PER_SECOND, 60_000);
        const fault = faults[n % faults.length]!;
        await group.betweenRenewals(leader);
        const startedAt = performance.now();
        leader = await fault(leader);
        durations.push(`${fault.name} ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
      }
      sender.stop();
      await sender.waitUntilFinished(60_000);
      const isDrained = async () => (await leader.get<Stats>('/stats')).deliveries.open === 0;
      const drainsFrom = performance.now();
      await until('everything is delivered', isDrained, DRAINED_WITHIN_MS);
      const { length: sent } = sender.notifications;
      const { length: acknowledged } = sender.acknowledged;
      report(
        `${sent} notifications, ${acknowledged} acknowledged, ${target.received.length} requests at the target`,
      );
      report(`drained in ${Math.round(performance.now() - drainsFrom)} ms; ${durations.join(', ')}`);
      expect(await findFaults(group.url, sender, target)).toEqual(NO_FAULTS);
      await assertBalanced(leader);
      expect(renewals(group.upstream).filter((count) => count > 1)).toEqual([]);
      expect(group.upstream.webhooks.size).toBe(1);
    },
    (MINUTES + 15) * 60_000,
  );
});
