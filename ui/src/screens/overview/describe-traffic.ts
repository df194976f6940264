import { formatClock, formatDay } from '../../format/exact';
import { formatNoun, formatRate } from '../../format/number';
import { SPAN_LABELS } from '../../labels/span-labels';
import { busiestStep, type RateUnit, type TrafficView } from './traffic-view';

const DAY_S = 86_400;

/** When a step began, with its day where the span has several. */
export function stepTime({ since, until }: TrafficView, at: number): string {
  const text = new Date(at * 1000).toISOString();
  if (until - since < 3_600) return formatClock(text);
  const clock = formatClock(text).slice(0, 5);
  return until - since > DAY_S ? `${formatDay(text).slice(5)} ${clock}` : clock;
}

/** The busiest moment in words. */
export function describePeak(view: TrafficView, unit: RateUnit): string {
  const busiest = busiestStep(view);
  if (busiest === null) return view.total.events === 0 ? 'No events.' : 'Not enough data for a rate.';
  const rate = formatRate((busiest.events / busiest.seconds) * unit.seconds);
  return `Peak: ${rate} events/${unit.name} at ${stepTime(view, busiest.at)}.`;
}

/** What the chart shows, for whoever does not see it. */
export function describeTraffic(view: TrafficView, unit: RateUnit): string {
  const { events, delivered, failed } = view.total;
  const outages =
    view.outages.length === 0 ? '' : ` ${formatNoun(view.outages.length, 'outage')} in this period.`;
  return `Traffic in ${SPAN_LABELS[view.span].title}: ${formatNoun(events, 'event')}, ${formatNoun(delivered, 'delivery', 'deliveries')}, ${formatNoun(failed, 'failed attempt')}. ${describePeak(view, unit)}${outages}`;
}
