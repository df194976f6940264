import type { AlertSummary } from '../../../src/contract/alert';
import type { Stats, StatsSeries } from '../../../src/contract/stats';
import type { HealthState, Target, TargetHealth } from '../../../src/contract/target';
import { overviewSearch } from '../../../ui/src/search/overview-search';
import { findIssues, splitSnoozed } from '../../../ui/src/screens/overview/find-issues';
import type { OverviewData } from '../../../ui/src/screens/overview/overview-data';
import { formatShare } from '../../../ui/src/format/number';
import { describeOutage } from '../../../ui/src/screens/overview/describe-outage';
import { stepTime } from '../../../ui/src/screens/overview/describe-traffic';
import { countAttention } from '../../../ui/src/screens/overview/describe-health';
import { formatRelative } from '../../../ui/src/format/relative';
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
  heldDuplicates: undefined,
  daemons: undefined,
  snoozes: undefined,
  latest: undefined,
};
const stats = (parts: Partial<Stats> = {}): Stats => ({
  started_at: ago(HOUR_MS),
  last_seq: 1,
  received: { accepted: 1, duplicate: 0, rejected: 0, not_stored: 0 },
  not_stored: [],
  ack_ms: null,
  deliveries: { open: 0, in_flight: 0, dead: 0, oldest_open_at: null },
  step_seconds: 5,
  series: [],
  ...parts,
});
const health = (...states: HealthState[]): TargetHealth => ({
  states: states.length === 0 ? ['active'] : states,
  attempts: 12,
  failed: states.includes('failing') ? 8 : 0,
  p95_ms: 20,
  last_delivered_at: null,
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
    health: health(),
    ...parts,
  }) as Target;
const openBreaker = {
  opened_at: ago(90_000),
  reason: 'No answer in time.',
  probes: 2,
  probe_at: ago(-5_000),
};
const backlog = { open: 12, in_flight: 0, oldest_at: ago(90_000) };
const alertWith = (id: string, type: string, data: object) =>
  ({
    id,
    type,
    severity: 'critical',
    sentence: 'S',
    count: 1,
    data: { target_id: 'tgt_1', ...data },
  }) as unknown as AlertSummary;
const find = (parts: Partial<OverviewData>) => findIssues({ ...NOTHING, ...parts }, NOW);

const point = (at: number, events: number) => ({
  at: ago(at),
  events,
  delivered: events,
  failed: 0,
  dead: 0,
});
const series = (points: StatsSeries['points'], until = 0): StatsSeries => ({
  period: 'hour',
  since: ago(HOUR_MS),
  until: ago(until),
  step_seconds: 60,
  points,
  total: { events: 0, delivered: 0, failed: 0, dead: 0 },
  outages: [],
});

describe('what needs attention', () => {
  it('is empty without data and for a healthy target', () => {
    expect(find({})).toEqual([]);
    expect(find({ stats: stats(), targets: [target({})], outages: [], heldDuplicates: [] })).toEqual([]);
  });

  it('includes an open breaker once, with its backlog', () => {
    const down = target({ breaker: openBreaker, backlog, health: health('down') });
    expect(find({ targets: [down] })).toEqual([
      {
        id: 'target.down:tgt_1',
        tone: 'bad',
        subject: 'orders',
        sentence: 'is down: No answer in time, for 1 min; recovery is checked automatically',
        count: '12 queued',
        remedy: { action: 'open-target', target: down },
      },
    ]);
  });

  it('includes only the pause of a paused target with an open breaker, with its end', () => {
    const paused = { at: ago(1_000), reason: 'Maintenance', until: ago(-2 * HOUR_MS) };
    const both = target({ breaker: openBreaker, paused, backlog, health: health('paused', 'down') });
    const [only, ...others] = find({ targets: [both] });
    expect(only).toMatchObject({
      id: `target.paused:tgt_1:${NOW - 1_000}`,
      tone: 'warn',
      sentence: 'is paused: Maintenance; resumes in 2 h',
      remedy: { action: 'resume-target' },
    });
    expect(others).toEqual([]);
  });

  it('leaves out what is snoozed, until the end of the snooze', () => {
    const issues = find({ targets: [target({ backlog, health: health('behind') })], outages: [] });
    const snoozed = (until: string | null) =>
      splitSnoozed(issues, [{ issue: 'target.behind:tgt_1', at: ago(HOUR_MS), until }], NOW).shown;
    expect(snoozed(null)).toEqual([]);
    expect(snoozed(ago(-1))).toEqual([]);
    expect(snoozed(ago(1))).toEqual(issues);
    expect(issues).toHaveLength(1);
  });

  it('tells a 410 once, although it raises two alerts', () => {
    const alerts = [
      alertWith('alr_1', 'relay.delivery.dead', { error: 'gone' }),
      alertWith('alr_2', 'relay.target.disabled', {}),
    ];
    expect(find({ alerts }).map(({ id }) => id)).toEqual(['alr_2']);
    expect(find({ alerts: alerts.slice(0, 1) }).map(({ id }) => id)).toEqual(['alr_1']);
  });

  it('does not include a target that is gone, which an alert reports', () => {
    const disabled = { at: ago(1_000), reason: 'HTTP 410 Gone.' };
    const gone = target({
      enabled: false,
      disabled,
      breaker: openBreaker,
      backlog,
      health: health('disabled', 'down'),
    });
    expect(find({ targets: [gone] })).toEqual([]);
  });

  it('includes a failing target and one that is behind', () => {
    expect(find({ targets: [target({ backlog, health: health('failing', 'behind') })] })).toMatchObject([
      { tone: 'bad', subject: 'orders', sentence: 'is failing: 8 of 12 attempts in the last hour failed' },
    ]);
    expect(find({ targets: [target({ backlog, health: health('behind') })] })).toMatchObject([
      { tone: 'warn', sentence: 'is falling behind: the oldest delivery is queued for 1 min' },
    ]);
  });

  it('includes an outage until it is dismissed', () => {
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

  it('includes each active alert instead of the issue that it covers', () => {
    const alert: AlertSummary = {
      id: 'alr_1',
      type: 'relay.delivery.dead',
      subject: 'tgt_1 404',
      severity: 'critical',
      sentence: 'Deliveries to orders became dead letters: HTTP 404.',
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
      {
        id: 'alr_1',
        tone: 'bad',
        subject: 'Dead letters',
        sentence: alert.sentence,
        count: '3 times',
        remedy: { action: 'open-dead-letters' },
        alert,
      },
      {
        id: 'alr_2',
        tone: 'warn',
        subject: 'Disk low',
        sentence: low.sentence,
        count: '3 times',
        remedy: { action: 'none' },
        alert: low,
      },
    ]);
    const orders = target({});
    const ofTarget = { ...alert, type: 'relay.target.expiring' };
    expect(find({ alerts: [ofTarget], targets: [orders] })).toMatchObject([
      { remedy: { action: 'open-target', target: orders } },
    ]);
    expect(find({ alerts: [low], stats: dead }).map(({ id }) => id)).toEqual(['dead', 'alr_2']);
  });

  it('includes a lost connection once, with the remedy and the start of its alert', () => {
    const alert = {
      id: 'alr_1',
      type: 'relay.connection.down',
      severity: 'critical',
      sentence: 'Co-Pilot no longer accepts the grant.',
      remedy: 'Connect again and give consent at Co-Pilot.',
      data: {},
      count: 1,
      since: ago(60_000),
    } as AlertSummary;
    const lost = {
      state: 'consent_needed',
      sentence: alert.sentence,
      scopes_missing: [] as string[],
    } as OverviewData['connection'];
    expect(find({ alerts: [alert], connection: lost })).toMatchObject([
      { id: 'connection:consent_needed', remedy: { action: 'consent', again: true }, alert },
    ]);
  });

  it('includes access that ends without a renewal, although the state is connected', () => {
    const sentence = 'The access to Co-Pilot ends at noon.';
    const ending = { state: 'connected', sentence, scopes_missing: [] as string[], ends_at: ago(-1_000) };
    expect(find({ connection: ending as unknown as OverviewData['connection'] })).toMatchObject([
      { id: 'ending', tone: 'warn', sentence },
    ]);
  });

  it('is counted with its remarks, so that the number is that of the list', () => {
    const held = [{ received_at: ago(1_000), event_id: 'evt_1' }] as OverviewData['heldDuplicates'];
    expect(countAttention(find({ heldDuplicates: held }))).toBe(0);
    expect(
      countAttention(
        find({ heldDuplicates: held, targets: [target({ backlog, health: health('behind') })] }),
      ),
    ).toBe(2);
  });

  it('lists the worst first, and held duplicates last', () => {
    const held = [{ received_at: ago(1_000), event_id: 'evt_1' }] as OverviewData['heldDuplicates'];
    const dead = stats({ deliveries: { open: 0, in_flight: 0, dead: 3, oldest_open_at: null } });
    const found = find({
      heldDuplicates: held,
      targets: [target({ backlog, health: health('behind') })],
      stats: dead,
    });
    expect(found.map(({ tone }) => tone)).toEqual(['bad', 'warn', 'idle']);
    const old = [{ received_at: ago(25 * HOUR_MS), event_id: 'evt_1' }] as OverviewData['heldDuplicates'];
    expect(find({ heldDuplicates: old })).toEqual([]);
  });
});

describe('the chart of the overview', () => {
  it('omits steps in which the hub was not running', () => {
    const { steps } = fromSeries(series([point(600_000, 3), point(300_000, 0), point(240_000, 4)]));
    expect(steps.map(({ events, at }) => [events, (NOW / 1000 - at) / 60])).toEqual([
      [3, 10],
      [0, 5],
      [4, 4],
    ]);
  });

  it('computes the rate of the current step from its elapsed time, unless that is too short', () => {
    const half = fromSeries(series([point(60_000, 30)], 30_000));
    expect(half.steps).toMatchObject([{ seconds: 30, events: 30 }]);
    expect(busiestStep(half)).toMatchObject({ events: 30 });
    const begun = fromSeries(series([point(60_000, 30)], 50_000));
    expect(busiestStep(begun)).toBeNull();
    // Too short for a rate, but it counts in the total.
    expect(begun.steps).toMatchObject([{ seconds: 10, events: 30 }]);
  });

  it('shows nothing before the start of the daemon', () => {
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
  ])('uses a rate with %d events in the busiest minute per %s', (events, name) => {
    expect(rateUnitOf(fromSeries(series([point(60_000, events)]))).name).toBe(name);
  });

  it('shows seconds only for steps shorter than a minute, and the date only for more than a day', () => {
    setTimeZone('utc');
    const at = NOW / 1_000;
    const { since, until } = fromSeries(series([], 15_000));
    const view = { ...fromSeries(series([])), since, until };
    expect(stepTime(view, at)).toBe('09:30');
    expect(stepTime({ ...view, stepSeconds: 5, since: until - 300 }, at)).toBe('09:30:00');
    expect(stepTime({ ...view, stepSeconds: 3_600, since: until - 7 * 86_400 }, at)).toBe('03-02 09:30');
    setTimeZone('local');
  });

  it('accepts only known ranges of time from the URL', () => {
    expect(overviewSearch({ range: 'live' })).toEqual({ range: 'live' });
    expect(overviewSearch({ range: '7d' })).toEqual({ range: '7d' });
    expect(overviewSearch({ since: ago(0) })).toEqual({ since: ago(0) });
    expect(overviewSearch({ range: 'century', period: 'hour' })).toEqual({});
  });
});

describe('numbers and times', () => {
  it.each([
    [10, 10, '100%'],
    [99_999, 100_000, '99.9%'],
    [1, 100_000, '0.1%'],
    [0, 5, '0%'],
  ])('%d of %d is shown as %s, and only exact values as 0%% or 100%%', (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text);
  });

  it.each([
    [-30 * 24 * HOUR_MS + 1_000, 'in 30 d'],
    [-HOUR_MS + 1_000, 'in 1 h'],
    [-48_000, 'in 48 s'],
    [-2_000_000, 'in 33 min'],
    [23.9 * HOUR_MS, '23 h ago'],
    [-1_000, 'just now'],
  ])(
    'a time %d ms ago is shown as "%s": an age is rounded down, time left to the nearest unit',
    (ms, text) => {
      expect(formatRelative(ago(ms), NOW)).toBe(text);
    },
  );

  it('are in UTC if selected', () => {
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
