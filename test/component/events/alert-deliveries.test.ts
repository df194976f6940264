import type { Alert } from '../../../src/relay/events/alert';
import { SystemEventsService } from '../../../src/relay/events/system-events.service';
import { HOUR_MS } from '../../support/daemon/feature-harness';
import {
  DISK,
  MINUTE_MS,
  alerts,
  harness,
  list,
  open,
  pass,
  published,
  restart,
  states,
} from './open-alerts';

const dead = (...deliveries: string[]): Alert => ({
  type: 'relay.delivery.dead',
  subject: 'tgt_1 404',
  severity: 'critical',
  sentence: 'Deliveries became dead letters.',
  remedy: 'Retry them.',
  data: { reason: `HTTP 404 for ${deliveries.at(-1)}.` },
  deliveries,
});

const raiseDead = (...ids: string[]) => alerts.raise(dead(...ids), ids.length);
const listed = () =>
  published().map((event) => {
    const { deliveries, deliveries_total: total } = event as Record<string, unknown>;
    return [deliveries, total];
  });

/** Undoes what is recorded after an event was stored. */
const crashBeforeRecord = async () => {
  await harness.journal.change({
    statements: [[`UPDATE alerts SET events_published = 0, published_count = 0, published_state = NULL`, []]],
  });
  await harness.kill();
};

describe('an alert', () => {
  beforeEach(() => open());

  it('lists in each event the deliveries of all raises since the previous one, with the newest state', async () => {
    raiseDead('a');
    raiseDead('b', 'c');
    await alerts.tick();
    raiseDead('d');
    raiseDead('e');
    await pass(5 * MINUTE_MS);
    alerts.resolve('relay.delivery.dead', 'tgt_1 404', 'All were retried.');
    await alerts.tick();
    expect(states()).toEqual(['raised', 'repeated', 'resolved']);
    expect(listed()).toEqual([
      [['a', 'b', 'c'], 3],
      [['d', 'e'], 2],
      [[], 0],
    ]);
    expect(published()[0]).toMatchObject({ reason: 'HTTP 404 for c.' });
  });

  it('lists the deliveries of before a restart', async () => {
    raiseDead('a');
    await alerts.tick();
    raiseDead('b');
    await restart('close');
    raiseDead('c');
    await pass(5 * MINUTE_MS);
    expect(listed()).toEqual([
      [['a'], 1],
      [['b', 'c'], 2],
    ]);
  });

  it('lists the first hundred deliveries, and counts all', async () => {
    for (let i = 0; i < 3; i += 1) raiseDead(...Array.from({ length: 40 }, (_, n) => `${i} ${n}`));
    await alerts.tick();
    const [[ids, total]] = listed() as [[string[], number]];
    expect(ids).toHaveLength(100);
    expect(ids.at(-1)).toBe('2 19');
    expect(total).toBe(120);
  });

  it.each([
    [
      'stored',
      [
        [['a'], 1],
        [['b'], 1],
      ],
    ],
    ['rejected', [[['a', 'b'], 2]]],
  ])('lists a delivery exactly once if it fails while the event is being %s', async (outcome, expected) => {
    const systemEvents = harness.app.get(SystemEventsService, { strict: false });
    const record = systemEvents.record.bind(systemEvents);
    jest.spyOn(systemEvents, 'record').mockImplementationOnce(async (event) => {
      raiseDead('b');
      return outcome === 'stored' ? record(event) : null;
    });
    raiseDead('a');
    await alerts.tick();
    await pass(5 * MINUTE_MS);
    expect(listed()).toEqual(expected);
  });

  it('is published once if a crash comes before that is recorded', async () => {
    alerts.raise(DISK);
    await alerts.tick();
    await crashBeforeRecord();
    harness.workspace.clock.time += HOUR_MS;
    await open();
    await alerts.tick();
    expect(states()).toEqual(['raised']);
    await pass(HOUR_MS);
    expect(states()).toEqual(['raised']);
  });

  it('lists in its next event what fails after such a crash, before it is published again', async () => {
    raiseDead('a');
    await alerts.tick();
    await crashBeforeRecord();
    await open();
    raiseDead('b');
    await pass(6 * MINUTE_MS);
    expect(states()).toEqual(['raised', 'repeated']);
    expect(listed()[1]).toEqual([expect.arrayContaining(['b']), expect.any(Number)]);
  });

  it('that flaps is published at most twice in five minutes, and keeps its count', async () => {
    for (let second = 0; second < 600; second += 1) {
      harness.workspace.clock.time += 1_000;
      if (second % 2 === 0) alerts.raise(DISK);
      else alerts.resolve(DISK.type, '', 'There is room again.');
      await alerts.tick();
    }
    expect(states()).toEqual(['raised', 'resolved', 'raised', 'resolved']);
    await pass(6 * MINUTE_MS);
    expect(await list('resolved')).toMatchObject([{ count: 300 }]);
  });
});
