import type { StatsPeriod, StatsSeriesQuery } from '../../contract/stats';

export const MINUTE_S = 60;
export const HOUR_S = 60 * MINUTE_S;

/** Between 60 and 288 steps each, for a chart. */
const PERIODS: Record<StatsPeriod, { seconds: number; step: number }> = {
  hour: { seconds: HOUR_S, step: MINUTE_S },
  day: { seconds: 24 * HOUR_S, step: 5 * MINUTE_S },
  week: { seconds: 7 * 24 * HOUR_S, step: HOUR_S },
};
/** The steps of other ranges, of which the shortest with few enough steps is used. */
const STEPS = [MINUTE_S, 5 * MINUTE_S, HOUR_S, 6 * HOUR_S, 24 * HOUR_S] as const;
const MAX_STEPS = 300;
/** What is older may have been aggregated into hours. */
const MINUTES_KNOWN_S = 25 * HOUR_S;

/** The steps of a chart. `since` in seconds, `last` in steps, `end` in ms; `period` is null for a range. */
export function stepsOf(now: number, query: StatsSeriesQuery) {
  const isRange = (query.since ?? query.until) !== undefined;
  return {
    period: isRange ? null : query.period,
    end: Math.min(now, query.until ?? now),
    ...(isRange ? stepsOfRange(now, query) : stepsUntil(now, query.period)),
  };
}

const stepsUntil = (now: number, period: StatsPeriod) => {
  const { seconds, step } = PERIODS[period];
  const last = Math.floor(now / 1000 / step);
  /** `since` in seconds, `last` in steps. */
  return { step, last, since: (last + 1) * step - seconds };
};

function stepsOfRange(now: number, { since: from, until }: Pick<StatsSeriesQuery, 'since' | 'until'>) {
  const end = Math.min(now, until ?? now) / 1000;
  const start = Math.min(end, (from ?? end * 1000 - 24 * HOUR_S * 1000) / 1000);
  const isOld = start < now / 1000 - MINUTES_KNOWN_S;
  const step =
    STEPS.find((one) => (end - start) / one <= MAX_STEPS && (one >= HOUR_S || !isOld)) ?? 24 * HOUR_S;
  // A step that begins at the end is not part of it.
  return { step, last: Math.ceil(end / step) - 1, since: Math.floor(start / step) * step };
}
