import type { Outage } from '@contract/outage';
import type { Stats, StatsSeries } from '@contract/stats';
import { formatClock, formatDay } from '../../format/exact';
import { formatCount } from '../../format/number';

/** Traffic within one step. */
export interface TrafficStep {
  /** Start, in seconds since 1970, like all times in this file. */
  at: number;
  /** Elapsed part of the step; shorter than the step only for the current one. */
  seconds: number;
  events: number;
  delivered: number;
  failed: number;
}

/** The three lines of the chart. */
export type TrafficLine = 'events' | 'delivered' | 'failed';

/** The data of the chart: of the last minutes, from the live statistics, or of a longer period. */
export interface TrafficView {
  /** Whether it is of the last minutes. */
  isLive: boolean;
  since: number;
  until: number;
  stepSeconds: number;
  /** Oldest first; a step in which Switchboard was not running is missing. */
  steps: TrafficStep[];
  total: Record<TrafficLine, number>;
  outages: readonly Outage[];
}

const secondsOf = (at: string) => new Date(at).getTime() / 1000;

/** A step that has just begun is too short for a rate: one event would look like a peak. */
const MIN_STEP_SHARE = 0.25;

/** The last minutes. The current step is left out, since it would look like a drop. */
export function fromStats({ series, step_seconds: stepSeconds, started_at: startedAt }: Stats): TrafficView {
  const started = secondsOf(startedAt);
  const steps = series
    .slice(0, -1)
    .map(({ at, ...counts }) => ({ at: secondsOf(at), seconds: stepSeconds, ...counts }))
    .filter(({ at }) => at + stepSeconds > started);
  const [first, last] = [series[0], series.at(-1)];
  return {
    isLive: true,
    since: first === undefined ? 0 : secondsOf(first.at),
    until: last === undefined ? 0 : secondsOf(last.at) - stepSeconds,
    stepSeconds,
    steps,
    total: sum(steps),
    outages: [],
  };
}

/** A longer time. The rate of the current step is based on its elapsed part. */
export function fromSeries(series: StatsSeries): TrafficView {
  const { step_seconds: stepSeconds, points, total, outages } = series;
  const [since, until] = [secondsOf(series.since), secondsOf(series.until)];
  const steps = points.map(({ at, events, delivered, failed }) => {
    const start = secondsOf(at);
    return { at: start, seconds: Math.min(stepSeconds, until - start), events, delivered, failed };
  });
  return { isLive: false, since, until, stepSeconds, steps, total, outages };
}

function sum(steps: readonly TrafficStep[]): Record<TrafficLine, number> {
  const of = (line: TrafficLine) => steps.reduce((all, step) => all + step[line], 0);
  return { events: of('events'), delivered: of('delivered'), failed: of('failed') };
}

/** The steps that are long enough for a rate. */
const measurableSteps = ({ steps, stepSeconds }: TrafficView): TrafficStep[] =>
  steps.filter(({ seconds }) => seconds >= stepSeconds * MIN_STEP_SHARE);

/** The unit of time of a rate, such as events per minute. */
export interface RateUnit {
  seconds: number;
  name: string;
}

const UNITS: readonly RateUnit[] = [
  { seconds: 1, name: 's' },
  { seconds: 60, name: 'min' },
  { seconds: 3_600, name: 'h' },
];

/** The shortest unit in which the busiest step has at least one event, so that no rate is shown as 0.0. */
export function rateUnitOf(view: TrafficView): RateUnit {
  const max = Math.max(
    0,
    ...measurableSteps(view).map(
      ({ seconds, ...step }) => Math.max(step.events, step.delivered, step.failed) / seconds,
    ),
  );
  return UNITS.find(({ seconds }) => max * seconds >= 1 || max === 0) ?? UNITS[2]!;
}

/** The step with the highest event rate; null if there were no events. */
export function busiestStep(view: TrafficView): TrafficStep | null {
  const busiest = measurableSteps(view).reduce<TrafficStep | null>(
    (max, step) => (max === null || step.events / step.seconds > max.events / max.seconds ? step : max),
    null,
  );
  return busiest === null || busiest.events === 0 ? null : busiest;
}

/** The start of every step, also of those in which Switchboard was not running. */
export function timesOf({ since, until, stepSeconds }: TrafficView): number[] {
  const count = Math.max(0, Math.floor((until - since) / stepSeconds) + 1);
  return Array.from({ length: count }, (_, i) => since + i * stepSeconds);
}

/** The rate at each time; null, not 0, while Switchboard was not running. */
export function ratesOf(view: TrafficView, line: TrafficLine, unit: RateUnit): (number | null)[] {
  const byTime = new Map(measurableSteps(view).map((one) => [one.at, one]));
  return timesOf(view).map((start) => {
    const found = byTime.get(start);
    return found === undefined ? null : (found[line] / found.seconds) * unit.seconds;
  });
}

/** Such as `12/min`, for the axis. */
export const formatUnit = (unit: RateUnit) => (rate: number) => {
  const value = Number(rate.toFixed(3));
  return `${Number.isInteger(value) ? formatCount(value) : value}/${unit.name}`;
};

const MINUTE_S = 60;
const DAY_S = 86_400;

/** The start of a step, to the second for steps of seconds, with the date if the chart is of more than a day. */
export function stepTime({ since, until, stepSeconds }: TrafficView, at: number): string {
  const text = new Date(at * 1000).toISOString();
  if (stepSeconds < MINUTE_S) return formatClock(text);
  const clock = formatClock(text).slice(0, 5);
  return until - since > DAY_S ? `${formatDay(text).slice(5)} ${clock}` : clock;
}
