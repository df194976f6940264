import { formatClock, formatDay } from '../../format/exact';
import { formatNoun, formatRate } from '../../format/number';
import { busiestStep, type RateUnit, type TrafficView } from './traffic-view';

const MINUTE_S = 60;
const DAY_S = 86_400;

/** The start of a step, to the second for steps of seconds, with the date if the chart is of more than a day. */
export function stepTime({ since, until, stepSeconds }: TrafficView, at: number): string {
  const text = new Date(at * 1000).toISOString();
  if (stepSeconds < MINUTE_S) return formatClock(text);
  const clock = formatClock(text).slice(0, 5);
  return until - since > DAY_S ? `${formatDay(text).slice(5)} ${clock}` : clock;
}

/** The step with the highest rate. */
export function describePeak(view: TrafficView, unit: RateUnit): string {
  const busiest = busiestStep(view);
  if (busiest === null) return view.total.events === 0 ? 'No events.' : 'Not enough data for a rate.';
  const rate = formatRate((busiest.events / busiest.seconds) * unit.seconds);
  return `Peak: ${rate} events/${unit.name} at ${stepTime(view, busiest.at)}.`;
}

/** A text alternative of the chart. */
export function describeTraffic(title: string, view: TrafficView, unit: RateUnit): string {
  const { events, delivered, failed } = view.total;
  const outages =
    view.outages.length === 0 ? '' : ` ${formatNoun(view.outages.length, 'outage')} in this period.`;
  return `Traffic. ${title}: ${formatNoun(events, 'event')}, ${formatNoun(delivered, 'delivery', 'deliveries')}, ${formatNoun(failed, 'failed attempt')}. ${describePeak(view, unit)}${outages}`;
}
