import { setTimeout as pause } from 'node:timers/promises';
import { assertBalanced } from '../support/daemon/ledger';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { WitnessTarget } from '../support/fakes/witness-target';
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
import { runWitnessed, untilDrained } from '../support/runs/witnessed-run';
import { until } from '../support/until';

const KILLS = Number(process.env['KILLS'] ?? 10);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 300);
const DEALS = 300;
const WITHIN_MS = 1_500;
const SETTLED_WITHIN_MS = 120_000;

it('delivers each change once that a filter selects, though the daemon is killed again and again', async () => {
  const routed = await WitnessTarget.start();
  try {
    await runWitnessed({}, async ({ daemon, client }) => {
      await daemon.addTarget(ROUTED, routed.url, WON_ONLY);
      const { webhook_id: webhook } = daemon.webhook;
      const sender = new RetryingSender(client, PER_SECOND, webhook, 1, DEALS, wonOrLost);
      const lags: number[] = [];
      const lag = () => daemon.rows<{ lag: number }>(SELECT_LAG)[0]!.lag;
      sender.start();
      try {
        for (let n = 0; n < KILLS; n += 1) {
          await pause(Math.random() * WITHIN_MS);
          await daemon.kill();
          lags.push(lag());
          await daemon.restart();
          await assertBalanced(daemon);
        }
        sender.stop();
        await sender.waitUntilFinished(SETTLED_WITHIN_MS);
      } finally {
        sender.cancel();
      }
      await until('all events are routed', () => lag() === 0, SETTLED_WITHIN_MS);
      await untilDrained(daemon, SETTLED_WITHIN_MS);
      const events = daemon.rows<EventRow>(SELECT_EVENTS);
      const deliveries = daemon.rows<DeliveryRow>(SELECT_DELIVERIES);
      const { expected, ...misrouted } = findMisrouted(events, deliveries, routed);
      report(
        `${KILLS} kills, events not routed then: ${lags.join(' ')}; ${events.length} stored, ${expected} to be delivered, ${routed.received.length} requests`,
      );
      expect(lags.filter((behind) => behind > 0).length).toBeGreaterThan(0);
      expect(expected).toBeGreaterThan(events.length / 10);
      expect(misrouted).toEqual(NOTHING_MISROUTED);
    });
  } finally {
    await routed.close();
  }
});
