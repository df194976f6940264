import type { AlertSummary } from '../../../src/contract/alert';
import type { Stats, StatsSeries } from '../../../src/contract/stats';
import type { Target } from '../../../src/contract/target';
import { overviewSearch } from '../../../ui/src/search/overview-search';
import { findIssues, type OverviewData } from '../../../ui/src/screens/overview/find-issues';
import { formatShare } from '../../../ui/src/screens/overview/format-share';
import { describeOutage } from '../../../ui/src/screens/overview/describe-outage';
import {
  busiestStep,
  rateUnitOf,
  fromSeries,
  fromStats,
} from '../../../ui/src/screens/overview/traffic-view';
import { formatExact } from '../../../ui/src/format/exact';
import { setTimeZone } from '../../../ui/src/format/time-zone';

const NOW = Date.parse('2026-03-02T09:30:00.000Z');
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const HOUR_MS = 3_600_000;

const NOTHING: OverviewData = {
  alerts: undefined,
  connection: undefined,
  subscription: undefined,
  stats: undefined,
  targets: undefined,
  outages: undefined,
  newestRejection: undefined,
  held: undefined,
  latest: undefined,
};
const stats = (parts: Partial<Stats> = {}): Stats => ({
  started_at: ago(HOUR_MS),
  last_seq: 1,
  received: { accepted: 1, duplicate: 0, rejected: 0, refused: 0 },
  not_stored: [],
  ack_ms: null,
  deliveries: { open: 0, in_flight: 0, dead: 0, oldest_open_at: null },
  step_seconds: 5,
  series: [],
  ...parts,
});
const target = (parts: Partial<Target>) =>
  ({
    id: 'tgt_1',
    name: 'orders',
    enabled: true,
    paused: null,
    disabled: null,
    breaker: null,
    backlog: { open: 0, in_flight: 0, oldest_at: null },
    ...parts,
  }) as Target;
const openBreaker = {
  opened_at: ago(90_000),
  reason: 'No answer in time.',
  probes: 2,
  probe_at: ago(-5_000),
};
const waiting = { open: 12, in_flight: 0, oldest_at: ago(90_000) };
const find = (parts: Partial<OverviewData>) => findIssues({ ...NOTHING, ...parts }, NOW);

const point = (at: number, events: number) => ({
  at: ago(at),
  events,
  delivered: events,
  failed: 0,
  died: 0,
});
const series = (points: StatsSeries['points'], until = 0): StatsSeries => ({
  span: 'hour',
  since: ago(HOUR_MS),
  until: ago(until),
  step_seconds: 60,
  points,
  total: { events: 0, delivered: 0, failed: 0, died: 0 },
  outages: [],
});

describe('what needs attention', () => {
  it('is nothing while nothing is known, and nothing of a target that does its work', () => {
    expect(find({})).toEqual([]);
    expect(find({ stats: stats(), targets: [target({})], outages: [], held: [] })).toEqual([]);
  });

  it('is an open breaker, once, with what waits behind it', () => {
    const down = target({ breaker: openBreaker, backlog: waiting });
    expect(find({ targets: [down] })).toEqual([
      {
        id: 'tgt_1',
        tone: 'bad',
        sentence:
          'orders is down: No answer in time. 12 deliveries queued; checking for recovery automatically',
        remedy: { action: 'open-target', target: down },
      },
    ]);
  });

  it('is the pause where a target is paused as well: somebody has to end that first', () => {
    const paused = { at: ago(1_000), reason: 'Paused by the operator.' };
    const [only, ...others] = find({ targets: [target({ breaker: openBreaker, paused, backlog: waiting })] });
    expect(only).toMatchObject({ tone: 'warn', remedy: { action: 'resume-target' } });
    expect(others).toEqual([]);
  });

  it('is none of a target that is gone: its alert tells of it, and nothing waits there for long', () => {
    const disabled = { at: ago(1_000), reason: 'The target answered 410 Gone.' };
    const gone = target({ enabled: false, disabled, breaker: openBreaker, backlog: waiting });
    expect(find({ targets: [gone] })).toEqual([]);
  });

  it('is a target that lets its deliveries wait for more than a minute, though its breaker is closed', () => {
    expect(find({ targets: [target({ backlog: waiting })] })).toMatchObject([{ tone: 'warn' }]);
    const soon = { ...waiting, oldest_at: ago(59_000) };
    expect(find({ targets: [target({ backlog: soon })] })).toEqual([]);
  });

  it('is an outage that nobody has seen to, with the way to say so', () => {
    const outage = {
      id: 'out_1',
      kind: 'downtime' as const,
      began_at: ago(60_000),
      ended_at: ago(1_000),
      seconds: 59,
      sentence: 'Events may have been missed.',
      dismissed_at: null,
    };
    expect(find({ outages: [outage] })).toMatchObject([{ remedy: { action: 'dismiss-outage', outage } }]);
    expect(find({ outages: [{ ...outage, dismissed_at: ago(0) }] })).toEqual([]);
  });

  it('is each active alert, in the place of what it tells more of', () => {
    const alert: AlertSummary = {
      id: 'alr_1',
      type: 'relay.delivery.dead',
      subject: 'tgt_1 404',
      severity: 'critical',
      sentence: 'Deliveries to orders became dead letters: The target answered 404.',
      remedy: 'Set the target right.',
      data: { target_id: 'tgt_1' },
      count: 3,
      since: ago(60_000),
      last_at: ago(1_000),
      resolved_at: null,
      resolution: null,
    };
    const low: AlertSummary = {
      ...alert,
      id: 'alr_2',
      type: 'relay.disk.low',
      severity: 'warning',
      data: {},
    };
    const dead = stats({ deliveries: { open: 0, in_flight: 0, dead: 3, oldest_open_at: null } });
    expect(find({ alerts: [low, alert], stats: dead })).toEqual([
      { id: 'alr_1', tone: 'bad', sentence: alert.sentence, remedy: { action: 'open-dead-letters' }, alert },
      { id: 'alr_2', tone: 'warn', sentence: low.sentence, remedy: { action: 'none' }, alert: low },
    ]);
    const orders = target({});
    const ofTarget = { ...alert, type: 'relay.target.expiring' };
    expect(find({ alerts: [ofTarget], targets: [orders] })).toMatchObject([
      { remedy: { action: 'open-target', target: orders } },
    ]);
    expect(find({ alerts: [low], stats: dead }).map(({ id }) => id)).toEqual(['dead', 'alr_2']);
  });

  it('names the worst first, and a repeat that was held as a remark behind all trouble', () => {
    const held = [{ received_at: ago(1_000), event_id: 'evt_1' }] as OverviewData['held'];
    const dead = stats({ deliveries: { open: 0, in_flight: 0, dead: 3, oldest_open_at: null } });
    const found = find({ held, targets: [target({ backlog: waiting })], stats: dead });
    expect(found.map(({ tone }) => tone)).toEqual(['bad', 'warn', 'idle']);
    const old = [{ received_at: ago(25 * HOUR_MS), event_id: 'evt_1' }] as OverviewData['held'];
    expect(find({ held: old })).toEqual([]);
  });
});

describe('the chart of the overview', () => {
  it('leaves a step out in which the hub did not run: that is not zero', () => {
    const { steps } = fromSeries(series([point(600_000, 3), point(300_000, 0), point(240_000, 4)]));
    expect(steps.map(({ events, at }) => [events, (NOW / 1000 - at) / 60])).toEqual([
      [3, 10],
      [0, 5],
      [4, 4],
    ]);
  });

  it('counts the step under way by what has passed of it, and tells no rate of it while that is too little', () => {
    const half = fromSeries(series([point(60_000, 30)], 30_000));
    expect(half.steps).toMatchObject([{ seconds: 30, events: 30 }]);
    expect(busiestStep(half)).toMatchObject({ events: 30 });
    const begun = fromSeries(series([point(60_000, 30)], 50_000));
    expect(busiestStep(begun)).toBeNull();
    // It is no rate yet, but it has happened.
    expect(begun.steps).toMatchObject([{ seconds: 10, events: 30 }]);
  });

  it('shows nothing of the time before the daemon began', () => {
    const live = stats({
      started_at: ago(12_000),
      series: [20, 15, 10, 5, 0].map((s) => ({ at: ago(s * 1_000), events: 0, delivered: 0, failed: 0 })),
    });
    expect(fromStats(live).steps.map(({ at }) => NOW / 1000 - at)).toEqual([15, 10, 5]);
  });

  it.each([
    [300, 's'],
    [59, 'min'],
    [0.9, 'h'],
    [0, 's'],
  ])('with %d events in its busiest minute counts them by the %s', (events, name) => {
    expect(rateUnitOf(fromSeries(series([point(60_000, events)]))).name).toBe(name);
  });

  it('takes from the address only what is a span', () => {
    expect(overviewSearch({ span: 'week' })).toEqual({ span: 'week' });
    expect(overviewSearch({ span: ['day', 'week'] })).toEqual({ span: 'day' });
    expect(overviewSearch({ span: 'century' })).toEqual({});
  });
});

describe('figures and times', () => {
  it.each([
    [10, 10, '100%'],
    [99_999, 100_000, '99.9%'],
    [1, 100_000, '0.1%'],
    [0, 5, '0%'],
  ])(
    '%d of %d is %s: never all where one is missing, never nothing where there is one',
    (part, whole, text) => {
      expect(formatShare(part, whole)).toBe(text);
    },
  );

  it('are told in UTC where the reader has chosen it', () => {
    setTimeZone('utc');
    expect(formatExact('2026-03-02T09:30:00.123Z')).toBe('2026-03-02 09:30:00.123 UTC');
    const outage = {
      id: 'out_1',
      kind: 'downtime' as const,
      began_at: '2026-03-01T23:50:00.000Z',
      ended_at: '2026-03-02T09:20:00.000Z',
      seconds: 34_200,
      sentence: '',
      dismissed_at: null,
    };
    expect(describeOutage(outage, NOW)).toBe('03-01 23:50–09:20 (9 h 30 min): events may have been missed');
    expect(describeOutage({ ...outage, kind: 'silence', ended_at: null }, NOW)).toBe(
      '03-01 23:50–now (9 h 30 min): no notifications received',
    );
    setTimeZone('local');
  });
});
