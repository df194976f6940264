import type { StatsSpan } from '../../../src/contract/stats';
import { toStrings } from './live-search';

/** How far back the chart looks; `live` is the last minutes, as they happen. */
export type ChartSpan = 'live' | StatsSpan;

/** In the order in which they are offered; the hour needs no word in the address. */
export const CHART_SPANS: readonly ChartSpan[] = ['live', 'hour', 'day', 'week'];

/** The overview's span as its address tells it. */
export function overviewSearch(search: Record<string, unknown>): { span?: ChartSpan } {
  const [text] = toStrings(search['span']);
  const span = CHART_SPANS.find((one) => one === text);
  return span === undefined || span === 'hour' ? {} : { span };
}
