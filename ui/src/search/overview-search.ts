import type { ChartPeriod } from '../labels/period-labels';
import { toStrings } from './live-search';

/** In display order. */
export const CHART_PERIODS: readonly ChartPeriod[] = ['live', 'hour', 'day', 'week'];

/** The period of the overview's chart. */
export function overviewSearch(search: Record<string, unknown>): { period?: ChartPeriod } {
  const [text] = toStrings(search['period']);
  const period = CHART_PERIODS.find((one) => one === text);
  return period === undefined ? {} : { period };
}
