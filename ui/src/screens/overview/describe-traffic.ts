import { formatNoun, formatRate } from '../../format/number';
import {
  busiestStep,
  stepTime,
  type RateUnit,
  type TrafficView,
} from '../../features/traffic-chart/traffic-view';
import { formatOneUnit } from '../../format/relative';

/** The step with the highest rate, and since when the last minutes are counted, unless that is all of them. */
export function describePeak(view: TrafficView, unit: RateUnit): string {
  const first = view.steps[0]?.at ?? view.since;
  const start =
    view.isLive && first > view.since ? ` Counted since the start at ${stepTime(view, first)}.` : '';
  return peakOf(view, unit) + start;
}

function peakOf(view: TrafficView, unit: RateUnit): string {
  const busiest = busiestStep(view);
  if (busiest === null) return view.total.events === 0 ? 'No events.' : 'Not enough data for a rate.';
  const rate = formatRate((busiest.events / busiest.seconds) * unit.seconds);
  // A rate within the step may have been higher.
  const step = formatOneUnit(view.stepSeconds * 1000);
  return `Busiest ${step}: ${rate} events/${unit.name} at ${stepTime(view, busiest.at)}.`;
}

/** A text alternative of the chart. */
export function describeTraffic(title: string, view: TrafficView, unit: RateUnit): string {
  const { events, delivered, failed } = view.total;
  const outages =
    view.outages.length === 0 ? '' : ` ${formatNoun(view.outages.length, 'outage')} in this period.`;
  return `Traffic. ${title}: ${formatNoun(events, 'event')}, ${formatNoun(delivered, 'delivery', 'deliveries')}, ${formatNoun(failed, 'failed attempt')}. ${describePeak(view, unit)}${outages}`;
}
