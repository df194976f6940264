import { DeadLetterAlertsWorker } from '../../../src/relay/system-events/dead-letter-alerts.worker';
import { AlertsService } from '../../../src/relay/events/alerts.service';
import { EventsService } from '../../../src/relay/events/events.service';
import { SystemEventsModule } from '../../../src/relay/system-events/system-events.module';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import { draft, result } from '../../support/daemon/scratch-journal';
import { HOUR_MS, FeatureHarness, useFeatureHarness } from '../../support/daemon/feature-harness';

const MINUTE_MS = 60_000;

describe('the dead-letter alert', () => {
  const harness = useFeatureHarness(new FeatureHarness([SystemEventsModule]));
  let target: { id: string; number: number };
  let stored = 0;

  beforeEach(async () => {
    await harness.open();
    const { record } = await targets().create({
      name: 'shop',
      url: 'http://127.0.0.1:9/',
      format: 'json',
      events: ['*', 'relay.*'],
      filter: null,
      enabled: true,
      policy: {},
      headers: [],
      tls: null,
    });
    target = record;
    stored = 0;
  });

  const targets = () => harness.app.get(TargetsService, { strict: false });
  const alerts = () => harness.app.get(AlertsService, { strict: false });
  const check = async () => {
    await harness.app.get(DeadLetterAlertsWorker, { strict: false }).tick();
    await alerts().tick();
  };
  const pass = async (ms: number) => {
    harness.workspace.clock.time += ms;
    await check();
  };
  const attempt = (seq: number, status: number) => ({
    ...result(seq, target.number, { state: 'dead', note: `HTTP ${status}.` }),
    attempt: {
      number: 1,
      at: harness.workspace.clock.time,
      durationMs: 5,
      status,
      error: 'http_status' as const,
      excerpt: null,
      transform: null,
      previous: null,
    },
  });
  /** Stores events whose single attempt fails with `status`. @returns their `seq`s */
  const addDeadLetters = async (
    count: number,
    status: number,
    parts: Parameters<typeof draft>[1] = {},
  ): Promise<number[]> => {
    const events = harness.app.get(EventsService, { strict: false });
    const outcomes = await Promise.all(
      Array.from({ length: count }, () => {
        stored += 1;
        return events.record(draft(stored, { receivedAt: harness.workspace.clock.time, ...parts }), {});
      }),
    );
    const seqs = outcomes.flatMap((outcome) => (outcome.status === 'accepted' ? [outcome.seq] : []));
    expect(seqs).toHaveLength(count);
    await Promise.all(seqs.map((seq) => harness.journal.saveResult(attempt(seq, status))));
    return seqs;
  };
  const published = () =>
    harness
      .readRows<{ seq: number; body: Buffer }>(
        `SELECT seq, body FROM events WHERE type = 'relay.delivery.dead' ORDER BY seq`,
      )
      .map(({ seq, body }) => {
        const { data } = JSON.parse(body.toString()) as { data: Record<string, unknown> };
        return { seq, ...data } as {
          seq: number;
          state: string;
          count: number;
          sentence: string;
          error: string;
        };
      });
  const states = () => published().map(({ state }) => state);

  it('publishes a few system events for ten thousand dead letters, and one when it is resolved', async () => {
    for (let minute = 0; minute < 100; minute += 1) {
      await addDeadLetters(100, 404);
      await pass(MINUTE_MS);
    }
    expect(published().length).toBeLessThanOrEqual(4);
    expect(published()[0]).toMatchObject({
      state: 'raised',
      target_id: target.id,
      target_name: 'shop',
      error: '404',
      sentence: 'Deliveries to shop became dead letters: HTTP 404.',
    });
    await pass(HOUR_MS);
    expect(states()).toEqual(['raised', 'repeated', 'repeated', 'resolved']);
    expect(published().at(-1)).toMatchObject({ count: 10_000 });
    expect(alerts().active()).toEqual([]);
  });

  it('is raised for each target and cause, and lists the deliveries', async () => {
    await addDeadLetters(30, 404);
    await addDeadLetters(2, 422);
    await check();
    expect(
      alerts()
        .active()
        .map(({ subject, count }) => [subject, count]),
    ).toEqual([
      [`${target.id} 422`, 2],
      [`${target.id} 404`, 30],
    ]);
    expect(alerts().active()[1]!.data['deliveries']).toHaveLength(30);
  });

  it('is resolved once all dead letters are retried or discarded, or the target is deleted', async () => {
    const [first, second] = await addDeadLetters(2, 404);
    await check();
    const retry = { target: target.number, trigger: 'manual', replayId: null, at: 1 } as const;
    await harness.journal.change({ schedule: [{ ...retry, seq: first! }] });
    await check();
    expect(alerts().active()).toHaveLength(1);
    const key = { seq: second!, target: target.number, n: 0 };
    await harness.journal.change({ end: [{ key, note: 'Discarded', at: 1 }] });
    await check();
    expect(states()).toEqual(['raised', 'resolved']);

    await pass(HOUR_MS);
    await addDeadLetters(1, 404);
    await check();
    await targets().remove(target.id);
    await check();
    expect(states()).toEqual(['raised', 'resolved', 'raised', 'resolved']);
  });

  it('is not raised for dead letters of its own system events', async () => {
    await addDeadLetters(1, 404);
    await check();
    const [event] = published();
    await harness.journal.saveResult(attempt(event!.seq, 404));
    await pass(10 * MINUTE_MS);
    expect(states()).toEqual(['raised']);
    expect(alerts().active()).toMatchObject([{ count: 1 }]);
  });

  it('takes no synthetic event for an alert that nobody learned of', async () => {
    await addDeadLetters(1, 404, { signatureHeader: '', signatureValue: 'rpr_01' });
    await check();
    expect(alerts().active()).toMatchObject([{ type: 'relay.delivery.dead', count: 1 }]);
  });
});
