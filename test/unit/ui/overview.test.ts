import type { Issue } from '../../../src/contract/health';
import type { Connection } from '../../../src/contract/connection';
import type { Stats, StatsSeries, TargetsTraffic } from '../../../src/contract/stats';
import type { Target } from '../../../src/contract/target';
import { overviewSearch } from '../../../ui/src/search/overview-search';
import { formatShare } from '../../../ui/src/format/number';
import { stateDurationOf, titleOf } from '../../../ui/src/screens/overview/issue-view';
import { describeOutage } from '../../../ui/src/features/traffic-chart/describe-outage';
import { describePeak, describeTraffic } from '../../../ui/src/screens/overview/describe-traffic';
import { countAttention, groupIssues } from '../../../ui/src/screens/overview/group-issues';
import { topologyView } from '../../../ui/src/screens/overview/topology-view';
import { formatRelative } from '../../../ui/src/format/relative';
import {
  busiestStep,
  stepTime,
  rateUnitOf,
  fromSeries,
  fromStats,
} from '../../../ui/src/features/traffic-chart/traffic-view';
import { formatExact } from '../../../ui/src/format/exact';
import { setTimeZone } from '../../../ui/src/format/time-zone';

const NOW = Date.parse('2026-03-02T09:30:00.000Z');
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const HOUR_MS = 3_600_000;

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

const issue = (severity: Issue['severity'], id = 'a', target: string | null = null) =>
  ({ id, severity, target_id: target }) as Issue;

const target = (id: string, states: string[], more: object = {}) =>
  ({
    id,
    name: id,
    disabled: null,
    breaker: null,
    paused: null,
    backlog: { open: 0, dead: 0 },
    health: { states, attempts: 1, failed: 1, last_failure: null },
    ...more,
  }) as unknown as Target;

const count = (issues: Issue[]) => countAttention(groupIssues(issues));

describe('what needs attention', () => {
  it('is listed by the connection, what one click ends, what is red, then by the state of the target', () => {
    const states = { blocked: 'blocked', down: 'down', slow: 'behind' };
    const targets = Object.entries(states).map(([id, state]) => target(id, [state]));
    const issues = [
      issue('critical', 'a', 'blocked'),
      issue('critical', 'b'),
      issue('warning', 'c', 'slow'),
      issue('warning', 'd', 'down'),
      { ...issue('info', 'e', 'back'), code: 'target.recovered' },
      { ...issue('warning', 'f'), code: 'connection.down' },
      { ...issue('warning', 'g'), code: 'subscription.unchecked' },
    ];
    expect(groupIssues(issues, targets).map(({ id, tone }) => [id, tone])).toEqual([
      ['f', 'warn'],
      ['g', 'warn'],
      ['back', 'idle'],
      ['b', 'bad'],
      ['down', 'bad'],
      ['blocked', 'bad'],
      ['slow', 'warn'],
    ]);
  });

  it('is listed in the order of the targets if all else is equal, whichever was raised first', () => {
    const targets = ['one', 'two'].map((id) => target(id, ['down']));
    const issues = [issue('critical', 'a', 'two'), issue('critical', 'b', 'one')];
    expect(groupIssues(issues, targets).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('is counted once for each target, and without remarks', () => {
    expect(count([issue('info')])).toBe(0);
    expect(count([issue('warning', 'a'), issue('info', 'b')])).toBe(1);
    expect(count([issue('critical', 'a', 'tgt_1'), issue('warning', 'b', 'tgt_1')])).toBe(1);
    expect(count([issue('critical', 'a', 'tgt_1'), issue('warning', 'b', 'tgt_2')])).toBe(2);
  });

  it('has the title of its messages, or words of its own', () => {
    const titles = ['target.failing', 'delivery.dead', 'target.none'].map((code) =>
      titleOf({ id: code, code }),
    );
    expect(titles).toEqual(['Target failing', 'Dead letters', 'No targets']);
    const unchecked = ['active', 'registering'].map((state) =>
      titleOf({ id: `subscription:${state}`, code: 'subscription.unchecked' }),
    );
    expect(unchecked).toEqual(['Webhook unverified', 'Webhook not registered yet']);
  });
});

describe('the topology', () => {
  const connection = { state: 'connected' } as Connection;
  const view = (targets: Target[], traffic?: TargetsTraffic, parts?: Partial<Stats>) =>
    topologyView({ connection, stats: stats(parts), targets }, traffic, NOW);

  it('says why a target is bad, what waits for it, and the states of those that it leaves out', () => {
    const health = {
      states: ['down'],
      attempts: 1,
      failed: 1,
      last_failure: { at: ago(0), sentence: 'HTTP 500.' },
    };
    const paused = { reason: 'Slack is being migrated.' };
    const { targets, others } = view([
      target('idle', ['active']),
      target('off', ['disabled']),
      target('erp', ['down'], { health, backlog: { open: 1_239, dead: 0 } }),
      target('ledger', ['blocked'], { backlog: { open: 2, dead: 1 } }),
      target('slack', ['paused'], { paused }),
      ...['a', 'b'].map((id) => target(id, ['failing'])),
    ]);
    expect(targets.slice(0, 2).map(({ state, queued }) => [state, queued])).toEqual([
      ['Down · HTTP 500', '1,239 queued'],
      ['Blocked · 1 dead letter', '2 queued'],
    ]);
    expect(targets.at(-1)!.state).toBe('Paused · “Slack is being migrated”');
    expect(others).toBe('2 more targets: 1 active, 1 disabled');
  });

  it('sorts by what flows only targets that are well', () => {
    const traffic = {
      since: ago(60_000),
      step_seconds: 60,
      data: ['bad 2', 'well 2'].map((id) => ({ target_id: id, delivered: [60], failed: [0] })),
    } as unknown as TargetsTraffic;
    const targets = ['bad 1', 'bad 2'].map((id) => target(id, ['down']));
    const well = ['well 1', 'well 2'].map((id) => target(id, ['active']));
    expect(view([...targets, ...well], traffic).targets.map(({ name }) => name)).toEqual([
      'bad 1',
      'bad 2',
      'well 2',
      'well 1',
    ]);
  });

  it.each([
    [[60, 0, 60], HOUR_MS, 60 / 90],
    // A restart: what was counted before it remains.
    [[60, 0, 60], 6_000, 60 / 90],
    [[null, 0, 60], 60_000, 1],
    [[null, null, 60], 6_000, 10],
    [[null, null, 60], 500, 0],
  ])(
    'has rates of the last two minutes, of %j as far as the daemon ran: for %d ms',
    (delivered, age, rate) => {
      const failed = delivered.map(() => 0);
      const traffic = {
        since: ago(150_000),
        step_seconds: 60,
        data: [{ target_id: 'shop', delivered, failed }],
      } as unknown as TargetsTraffic;
      const { targets } = view([target('shop', ['active'])], traffic, { started_at: ago(age) });
      expect(targets[0]!.rate).toBe(rate);
    },
  );
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
    const view = fromStats(live);
    expect(view.steps.map(({ at }) => NOW / 1000 - at)).toEqual([15, 10, 5]);
    setTimeZone('utc');
    expect(describePeak(view, rateUnitOf(view))).toBe('No events. Counted since the start at 09:29:45.');
    setTimeZone('local');
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

  it('is described in words, with its peak', () => {
    setTimeZone('utc');
    const empty = fromSeries(series([]));
    expect(describeTraffic('Last hour', empty, rateUnitOf(empty))).toBe(
      'Traffic. Last hour: 0 events, 0 deliveries, 0 failed attempts. No events.',
    );
    const busy = fromSeries({
      ...series([point(600_000, 30)]),
      total: { events: 30, delivered: 1, failed: 2, dead: 0 },
    });
    expect(describeTraffic('Today', busy, rateUnitOf(busy))).toBe(
      'Traffic. Today: 30 events, 1 delivery, 2 failed attempts. Busiest 1 min: 30 events/min at 09:20.',
    );
    setTimeZone('local');
  });

  it('accepts only known ranges of time from the URL', () => {
    expect(overviewSearch({ range: 'live' })).toEqual({ range: 'live' });
    expect(overviewSearch({ range: '7d' })).toEqual({ range: '7d' });
    expect(overviewSearch({ since: ago(0) })).toEqual({ since: ago(0) });
    expect(overviewSearch({ range: 'century', period: 'hour' })).toEqual({});
  });
});

describe('the duration beside the state of a target', () => {
  const failing = { code: 'target.failing', severity: 'critical', since: ago(16 * 60_000) } as const;
  const dead = { code: 'delivery.dead', severity: 'warning', since: ago(3 * HOUR_MS) } as const;

  it('is that of its circuit breaker if it is down, although it failed before', () => {
    const down = target('a', ['down', 'failing'], { breaker: { opened_at: ago(120_000) } });
    expect(stateDurationOf(down, [failing, dead], NOW)).toBe('for 2 min');
  });

  it('is that of the issue of its state, not of an older one', () => {
    const other = target('a', ['failing'], { breaker: null });
    expect(stateDurationOf(other, [dead, failing], NOW)).toBe('for 16 min');
    expect(stateDurationOf(other, [dead], NOW)).toBe('for 3 h');
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
      after_seq: 7,
      gap_event_id: null,
    };
    expect(describeOutage(outage, NOW)).toBe('03-01 23:50–09:20 (9 h 30 min): events may have been missed');
    const short = {
      ...outage,
      began_at: '2026-03-02T00:47:27.000Z',
      ended_at: '2026-03-02T00:47:56.000Z',
      seconds: 29,
    };
    expect(describeOutage(short, NOW)).toBe('00:47:27–00:47:56 (29 s): events may have been missed');
    expect(describeOutage({ ...outage, kind: 'silence', ended_at: null }, NOW)).toBe(
      '03-01 23:50–now (9 h 30 min): no notifications received',
    );
    setTimeZone('local');
  });
});
