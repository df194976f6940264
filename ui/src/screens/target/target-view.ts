import type { TargetSeries } from '@contract/stats';
import type { ChartLine } from '../../features/traffic-chart/rate-chart';
import {
  fromSeries,
  ratesOf,
  timesOf,
  type RateUnit,
  type TrafficView,
} from '../../features/traffic-chart/traffic-view';

type Point = TargetSeries['points'][number];

/** What the charts of a target show. */
export interface TargetView {
  traffic: TrafficView;
  /** By the start of the step, in seconds since 1970. */
  points: ReadonlyMap<number, Point>;
}

export function viewOf(series: TargetSeries): TargetView {
  const points = series.points.map((point) => ({ ...point, events: 0 }));
  const sum = (of: 'delivered' | 'failed' | 'dead') => points.reduce((all, point) => all + point[of], 0);
  const total = { events: 0, delivered: sum('delivered'), failed: sum('failed'), dead: sum('dead') };
  return {
    traffic: fromSeries({ ...series, points, total, outages: [] }),
    points: new Map(series.points.map((point) => [Date.parse(point.at) / 1000, point])),
  };
}

/** Delivered and failed attempts; durations in ms; queued deliveries. */
export function linesOf({ traffic, points }: TargetView, unit: RateUnit): Record<ChartName, ChartLine[]> {
  const times = timesOf(traffic);
  const valuesOf = (of: 'p50_ms' | 'p95_ms' | 'queued') => times.map((at) => points.get(at)?.[of] ?? null);
  const failed = ratesOf(traffic, 'failed', unit);
  return {
    attempts: [
      {
        values: ratesOf(traffic, 'delivered', unit),
        colour: '--sb-ok',
        fill: '--sb-ok-soft',
      },
      { values: failed, colour: '--sb-bad', isDashed: true },
    ],
    latency: [
      { values: valuesOf('p50_ms'), colour: '--sb-accent', fill: '--sb-accent-soft' },
      { values: valuesOf('p95_ms'), colour: '--sb-muted', isDashed: true },
    ],
    backlog: [{ values: valuesOf('queued'), colour: '--sb-accent', fill: '--sb-accent-soft' }],
  };
}

export type ChartName = 'attempts' | 'latency' | 'backlog';
