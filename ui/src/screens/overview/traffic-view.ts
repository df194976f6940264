import type { Outage } from '../../../../src/contract/outage';
import type { Stats, StatsSeries } from '../../../../src/contract/stats';
import type { ChartSpan } from '../../search/overview-search';

/** What happened within one step. */
export interface TrafficStep {
  /** Its beginning, in seconds since 1970, as every time here. */
  at: number;
  /** How much of it has passed. */
  seconds: number;
  events: number;
  delivered: number;
  failed: number;
}

export type TrafficLine = 'events' | 'delivered' | 'failed';

/** What the chart shows, wherever it comes from. */
export interface TrafficView {
  span: ChartSpan;
  since: number;
  until: number;
  step: number;
  /** Oldest first; a step in which Switchboard was not running is missing. */
  steps: TrafficStep[];
  total: Record<TrafficLine, number>;
  outages: readonly Outage[];
}

const secondsOf = (at: string) => new Date(at).getTime() / 1000;

/** A step that has hardly begun tells no rate. */
const MIN_STEP_SHARE = 0.25;

/** The last minutes; the step under way is left out, drawn it would look like a fall. */
export function fromStats({ series, step_seconds: step, started_at: startedAt }: Stats): TrafficView {
  const started = secondsOf(startedAt);
  const steps = series
    .slice(0, -1)
    .map(({ at, ...counts }) => ({ at: secondsOf(at), seconds: step, ...counts }))
    .filter(({ at }) => at + step > started);
  const [first, last] = [series[0], series.at(-1)];
  return {
    span: 'live',
    since: first === undefined ? 0 : secondsOf(first.at),
    until: last === undefined ? 0 : secondsOf(last.at) - step,
    step,
    steps: steps,
    total: sum(steps),
    outages: [],
  };
}

/** The last hour, day or week; the step under way counts by how much of it has passed. */
export function fromSeries(series: StatsSeries): TrafficView {
  const { span, step_seconds: step, points, total, outages } = series;
  const [since, until] = [secondsOf(series.since), secondsOf(series.until)];
  const steps = points.map(({ at, events, delivered, failed }) => {
    const begun = secondsOf(at);
    return { at: begun, seconds: Math.min(step, until - begun), events, delivered, failed };
  });
  return { span, since, until, step, steps, total, outages };
}

function sum(steps: readonly TrafficStep[]): Record<TrafficLine, number> {
  const of = (line: TrafficLine) => steps.reduce((all, step) => all + step[line], 0);
  return { events: of('events'), delivered: of('delivered'), failed: of('failed') };
}

/** The steps that are long enough for a rate. */
export const measurableSteps = ({ steps, step }: TrafficView): TrafficStep[] =>
  steps.filter(({ seconds }) => seconds >= step * MIN_STEP_SHARE);

/** A unit of time in which the busiest step still counts to one. */
export interface RateUnit {
  seconds: number;
  name: string;
}

const UNITS: readonly RateUnit[] = [
  { seconds: 1, name: 's' },
  { seconds: 60, name: 'min' },
  { seconds: 3_600, name: 'h' },
];

export function rateUnitOf(view: TrafficView): RateUnit {
  const max = Math.max(
    0,
    ...measurableSteps(view).map(({ seconds, events, delivered }) => Math.max(events, delivered) / seconds),
  );
  return UNITS.find(({ seconds }) => max * seconds >= 1 || max === 0) ?? UNITS[2]!;
}

/** The step in which most events came; null where none came. */
export function busiestStep(view: TrafficView): TrafficStep | null {
  const busiest = measurableSteps(view).reduce<TrafficStep | null>(
    (most, step) => (most === null || step.events / step.seconds > most.events / most.seconds ? step : most),
    null,
  );
  return busiest === null || busiest.events === 0 ? null : busiest;
}
