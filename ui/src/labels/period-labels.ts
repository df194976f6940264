import type { StatsPeriod } from '@contract/stats';

/** The period of a chart; `live` is the last five minutes. */
export type ChartPeriod = 'live' | StatsPeriod;

/** The periods: `name` on a switch, `title` in a sentence. */
export const PERIOD_LABELS: Record<ChartPeriod, { name: string; title: string }> = {
  live: { name: 'Live', title: 'the last 5 minutes' },
  hour: { name: 'Hour', title: 'the last hour' },
  day: { name: 'Day', title: 'the last 24 hours' },
  week: { name: 'Week', title: 'the last 7 days' },
};
