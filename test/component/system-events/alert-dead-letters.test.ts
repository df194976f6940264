import { AlertDeadLetters } from '../../../src/relay/system-events/alert-dead-letters';
import { Alerts } from '../../../src/relay/events/alerts';
import { EventsService } from '../../../src/relay/events/events.service';
import { SystemEventsModule } from '../../../src/relay/system-events/system-events.module';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import { FakeCopilot } from '../../support/fakes/copilot';
import { draft, result } from '../database/scratch-journal';
import {
  clearPremises,
  HOUR_MS,
  makePremises,
  readRows,
  Stand,
  type Premises,
} from '../connection/connection-fixture';

const MINUTE_MS = 60_000;

describe('the alert of dead letters', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;
  let target: { id: string; number: number };
  let stored = 0;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    stand = await Stand.open(premises, upstream, {}, [SystemEventsModule]);
    const { record } = await targets().create({
      name: 'shop',
      url: 'http://127.0.0.1:9/',
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
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const targets = () => stand.app.get(TargetsService, { strict: false });
  const alerts = () => stand.app.get(Alerts, { strict: false });
  const look = async () => {
    await stand.app.get(AlertDeadLetters, { strict: false }).tick();
    await alerts().tick();
  };
  const pass = async (ms: number) => {
    premises.clock.time += ms;
    await look();
  };
  const attempt = (seq: number, status: number) => ({
    ...result(seq, target.number, { state: 'dead', note: `The target answered ${status}.` }),
    attempt: {
      number: 1,
      at: premises.clock.time,
      durationMs: 5,
      status,
      error: 'http_status' as const,
      excerpt: null,
    },
  });
  /** So many events whose one try was answered with `status`; their `seq`s. */
  const die = async (count: number, status: number): Promise<number[]> => {
    const events = stand.app.get(EventsService, { strict: false });
    const outcomes = await Promise.all(
      Array.from({ length: count }, () => {
        stored += 1;
        return events.record(draft(stored, { receivedAt: premises.clock.time }), {});
      }),
    );
    const seqs = outcomes.flatMap((outcome) => (outcome.status === 'accepted' ? [outcome.seq] : []));
    expect(seqs).toHaveLength(count);
    await Promise.all(seqs.map((seq) => stand.journal.settle(attempt(seq, status))));
    return seqs;
  };
  const told = () =>
    readRows<{ seq: number; body: Buffer }>(
      premises,
      `SELECT seq, body FROM events WHERE type = 'relay.delivery.dead' ORDER BY seq`,
    ).map(({ seq, body }) => {
      const { data } = JSON.parse(body.toString()) as { data: Record<string, unknown> };
      return { seq, ...data } as {
        seq: number;
        state: string;
        count: number;
        sentence: string;
        error: string;
      };
    });
  const states = () => told().map(({ state }) => state);

  it('is a handful of events for ten thousand deaths in an hour, and one when they are over', async () => {
    for (let minute = 0; minute < 100; minute += 1) {
      await die(100, 404);
      await pass(MINUTE_MS);
    }
    expect(told().length).toBeLessThanOrEqual(4);
    expect(told()[0]).toMatchObject({
      state: 'raised',
      target_id: target.id,
      target_name: 'shop',
      error: '404',
      sentence: 'Deliveries to shop became dead letters: The target answered 404.',
    });
    await pass(HOUR_MS);
    expect(states()).toEqual(['raised', 'repeated', 'repeated', 'resolved']);
    expect(told().at(-1)).toMatchObject({ count: 10_000 });
    expect(alerts().active()).toEqual([]);
  });

  it('is one for each target and cause, with the deliveries that died first', async () => {
    await die(30, 404);
    await die(2, 422);
    await look();
    expect(
      alerts()
        .active()
        .map(({ subject, count }) => [subject, count]),
    ).toEqual([
      [`${target.id} 422`, 2],
      [`${target.id} 404`, 30],
    ]);
    expect(alerts().active()[1]!.data['deliveries']).toHaveLength(20);
  });

  it('is resolved once all have been sent again or discarded, or the target is gone', async () => {
    const [first, second] = await die(2, 404);
    await look();
    const again = { target: target.number, trigger: 'manual', replayId: null, at: 1 } as const;
    await stand.journal.change([], [{ ...again, seq: first! }]);
    await look();
    expect(alerts().active()).toHaveLength(1);
    const key = { seq: second!, target: target.number, n: 0 };
    await stand.journal.change([], [], [{ key, note: 'Discarded', at: 1 }]);
    await look();
    expect(states()).toEqual(['raised', 'resolved']);

    await pass(HOUR_MS);
    await die(1, 404);
    await look();
    await targets().remove(target.id);
    await look();
    expect(states()).toEqual(['raised', 'resolved', 'raised', 'resolved']);
  });

  it('is not raised by the death of what tells it', async () => {
    await die(1, 404);
    await look();
    const [event] = told();
    await stand.journal.settle(attempt(event!.seq, 404));
    await pass(10 * MINUTE_MS);
    expect(states()).toEqual(['raised']);
    expect(alerts().active()).toMatchObject([{ count: 1 }]);
  });
});
