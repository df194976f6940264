import type { Stats } from '../../src/contract/stats';
import { DaemonGroup } from '../support/daemon/daemon-group';
import { assertBalanced } from '../support/daemon/ledger';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { WitnessTarget } from '../support/fakes/witness-target';
import { runSql, TestPostgres } from '../support/postgres';
import { report } from '../support/runs/report';
import {
  findMisrouted,
  NOTHING_MISROUTED,
  ROUTED,
  SELECT_DELIVERIES,
  SELECT_EVENTS,
  SELECT_LAG,
  WON_ONLY,
  wonOrLost,
  type DeliveryRow,
  type EventRow,
} from '../support/runs/routed-deliveries';
import { until } from '../support/until';

const KILLS = Number(process.env['KILLS'] ?? 3);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 150);
const DEALS = 300;
const SETTLED_WITHIN_MS = 120_000;

describe('two daemons whose leader is killed again and again', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;
  let target: WitnessTarget;
  let sender: RetryingSender | undefined;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    target = await WitnessTarget.start();
    group = await DaemonGroup.start(postgres, 2);
  });
  afterAll(async () => {
    sender?.cancel();
    await group?.close();
    await target?.close();
    await postgres?.stop();
  });

  it('deliver each change once that a filter selects', async () => {
    let leader = group.daemons[0]!;
    await leader.addTarget(ROUTED, target.url, WON_ONLY);
    const senders = group.inTurns({ skipsRefused: true });
    sender = new RetryingSender(senders, PER_SECOND, group.webhook.webhook_id, 1, DEALS, wonOrLost);
    const lag = async () => (await runSql<{ lag: number }>(group.url, SELECT_LAG))[0]!.lag;
    const lags: number[] = [];
    sender.start();
    for (let n = 0; n < KILLS; n += 1) {
      await sender.waitForAcknowledged(3 * PER_SECOND, SETTLED_WITHIN_MS);
      await group.betweenRenewals(leader);
      const former = leader;
      await former.kill();
      leader = await group.leader(former);
      lags.push(await lag());
      await former.restart();
    }
    sender.stop();
    await sender.waitUntilFinished(SETTLED_WITHIN_MS);
    await until('all events are routed', async () => (await lag()) === 0, SETTLED_WITHIN_MS);
    const isDrained = async () => (await leader.get<Stats>('/stats')).deliveries.open === 0;
    await until('everything is delivered', isDrained, SETTLED_WITHIN_MS);
    await assertBalanced(leader);
    const events = await runSql<EventRow>(group.url, SELECT_EVENTS);
    const deliveries = await runSql<DeliveryRow>(group.url, SELECT_DELIVERIES);
    const { expected, ...misrouted } = findMisrouted(events, deliveries, target);
    report(
      `${KILLS} kills of the leader, events not routed by the next one then: ${lags.join(' ')}; ${events.length} stored, ${expected} to be delivered, ${target.received.length} requests`,
    );
    expect(expected).toBeGreaterThan(events.length / 10);
    expect(misrouted).toEqual(NOTHING_MISROUTED);
  });
});
