import type { StatsPeriod } from '@contract/stats';

/** The periods: `name` on a switch, `title` in a sentence. */
export const PERIOD_LABELS: Record<StatsPeriod, { name: string; title: string }> = {
  hour: { name: 'Hour', title: 'the last hour' },
  day: { name: 'Day', title: 'the last 24 hours' },
  week: { name: 'Week', title: 'the last 7 days' },
};
