import { isDeepStrictEqual } from 'node:util';
import type { StatsSeries, TargetErrors, TargetsTraffic } from '../../../src/contract/stats';
import { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const KILLS = 2;
/** Sent between two kills; more than one pass of the counting. */
const EVENTS_PER_RUN = 1_100;
const CONCURRENCY = 32;

let upstream: FakeCopilot;
let receiver: RecordingTarget;
let daemon: Daemon;
let sent = 0;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  // It fails occasionally, but never often enough in a row to open the circuit breaker.
  receiver = await RecordingTarget.start((response) =>
    response.writeHead(receiver.hits.length % 10 === 0 ? 500 : 200).end(),
  );
  daemon = await Daemon.startConnected({ upstream });
});

afterAll(async () => {
  await daemon.close();
  await receiver.close();
  await upstream.close();
});

/** Sends until this many are answered with 200, or the daemon is killed. */
async function send(count: number): Promise<void> {
  const client = new WebhookSender(daemon.webhook);
  let answered = 0;
  const one = async () => {
    while (answered < count && daemon.isRunning) {
      sent += 1;
      const { status } = await client.send(
        Buffer.from(
          JSON.stringify({
            event: 'deal.created',
            timestamp: new Date().toISOString(),
            webhook_id: daemon.webhook.webhook_id,
            data: { id: sent },
          }),
        ),
      );
      if (status === 200) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, one));
  client.close();
}

const count = (from: string) =>
  daemon.rows<{ count: number }>(`SELECT count(*) AS count FROM ${from}`)[0]!.count;

/** The statistics, counted in the database. */
const stored = () => ({
  events: count(`events WHERE signature_header <> ''`),
  delivered: count('attempts WHERE status = 200'),
  failed: count('attempts WHERE status IS NOT 200'),
  dead: count(`deliveries WHERE state = 'dead'`),
});

const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

describe('the statistics of the last hour, of a daemon that was killed repeatedly', () => {
  it('match the database: nothing is counted twice, nothing is lost', async () => {
    const { id } = await daemon.addTarget('place', receiver.url);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const hits = receiver.hits.length;
      const sending = send(EVENTS_PER_RUN);
      await until('deliveries are sent', () => receiver.hits.length > hits + 200);
      // Killed with everything counted in some runs, and during a pass in others.
      if (kill > 0) await sending;
      await daemon.kill();
      await sending;
      await daemon.restart();
    }
    await daemon.request('POST', `/targets/${id}/pause`);
    // Every result is stored then: an attempt is no longer in flight a moment before.
    await daemon.stop();
    await daemon.restart();
    const series = async () => (await daemon.get<StatsSeries>('/stats/series?period=hour')).total;
    let total = await series();
    await until('the statistics match the database', async () => {
      total = await series();
      return isDeepStrictEqual(total, stored());
    }).catch(() => undefined);
    expect(total).toEqual(stored());
    expect(total.events).toBeGreaterThan(EVENTS_PER_RUN);
    expect(total.failed).toBeGreaterThan(0);
    const { data } = await daemon.get<TargetsTraffic>('/stats/targets');
    expect(sum(data[0]!.delivered)).toBe(total.delivered);
    expect(sum(data[0]!.failed)).toBe(total.failed);
    const errors = await daemon.get<TargetErrors>(`/stats/targets/${id}/errors?period=hour`);
    expect(errors).toMatchObject({
      attempts: total.delivered + total.failed,
      data: [{ error: '500', attempts: total.failed }],
    });
  });
});
