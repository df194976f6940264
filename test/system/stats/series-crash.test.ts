import type { Stats, StatsSeries, TargetErrors, TargetsTraffic } from '../../../src/contract/stats';
import { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const KILLS = 3;
/** Beyond a pass of counting, in each life. */
const EVENTS_A_LIFE = 1_300;
const AT_ONCE = 32;

let upstream: FakeCopilot;
let place: RecordingTarget;
let daemon: Daemon;
let sent = 0;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  // Now and then it fails, never so often in a row that its breaker would open.
  place = await RecordingTarget.start((response) =>
    response.writeHead(place.hits.length % 10 === 0 ? 500 : 200).end(),
  );
  daemon = await Daemon.startConnected({ upstream });
});

afterAll(async () => {
  await daemon.close();
  await place.close();
  await upstream.close();
});

/** Sends until so many are answered 200; what the kill cut off counts for nothing. */
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
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  client.close();
}

const count = (from: string) =>
  daemon.rows<{ count: number }>(`SELECT count(*) AS count FROM ${from}`)[0]!.count;

const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

describe('what happened over the last hour, of a daemon that was killed again and again', () => {
  it('is what the database holds: nothing counted twice, nothing lost', async () => {
    const { id } = await daemon.addTarget('place', place.url);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const hits = place.hits.length;
      const sending = send(EVENTS_A_LIFE);
      await until('deliveries are on their way', () => place.hits.length > hits + 200, 20_000);
      // Whole lives and lives cut short: some end with all counted, some amid a pass.
      if (kill > 0) await sending;
      await daemon.kill();
      await sending;
      await daemon.restart();
    }
    await daemon.request('POST', `/targets/${id}/pause`);
    // What has come back is on its way to the disk for a moment.
    let attempts = -1;
    await until('nothing is on its way', async () => {
      const before = attempts;
      const { deliveries } = await daemon.get<Stats>('/stats');
      attempts = count('attempts');
      return deliveries.in_flight === 0 && attempts === before;
    });

    const { total } = await daemon.get<StatsSeries>('/stats/series?span=hour');
    expect(total).toEqual({
      events: count(`events WHERE signature_header <> ''`),
      delivered: count('attempts WHERE status = 200'),
      failed: count('attempts WHERE status IS NOT 200'),
      died: count(`deliveries WHERE state = 'dead'`),
    });
    expect(total.events).toBeGreaterThan(2 * EVENTS_A_LIFE);
    expect(total.failed).toBeGreaterThan(0);
    const { data } = await daemon.get<TargetsTraffic>('/stats/targets');
    expect(sum(data[0]!.delivered)).toBe(total.delivered);
    expect(sum(data[0]!.failed)).toBe(total.failed);
    const errors = await daemon.get<TargetErrors>(`/stats/targets/${id}/errors?span=hour`);
    expect(errors).toMatchObject({
      attempts: total.delivered + total.failed,
      data: [{ error: '500', attempts: total.failed }],
    });
  }, 120_000);
});
