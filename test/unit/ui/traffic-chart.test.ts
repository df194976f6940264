import type { StatsSeries } from '../../../src/contract/stats';
import {
  busiestStep,
  stepTime,
  rateUnitOf,
  fromSeries,
  fromStats,
} from '../../../ui/src/features/traffic-chart/traffic-view';
import { setTimeZone } from '../../../ui/src/format/time-zone';
import { describePeak, describeTraffic } from '../../../ui/src/screens/overview/describe-traffic';
import { overviewSearch } from '../../../ui/src/search/overview-search';
import { ago, HOUR_MS, NOW, stats } from './samples';

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
