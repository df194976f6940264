import type { ChartSpan } from '../search/overview-search';

/** How far back something looks, in words. */
export const SPAN_LABELS: Record<ChartSpan, { name: string; title: string }> = {
  live: { name: 'Live', title: 'the last 5 minutes' },
  hour: { name: 'Hour', title: 'the last hour' },
  day: { name: 'Day', title: 'the last 24 hours' },
  week: { name: 'Week', title: 'the last 7 days' },
};
