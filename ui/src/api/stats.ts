import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Stats, StatsSeries, StatsPeriod, TargetsTraffic } from '@contract/stats';
import { read } from './request';

/** The key metrics; updated by the socket while it is open. */
export const statsQuery = queryOptions({ queryKey: ['stats'], queryFn: () => read<Stats>('/stats') });

/** A quarter of a step of the series for the hour, less for the others. */
const REFETCH_MS: Record<StatsPeriod, number> = { hour: 15_000, day: 60_000, week: 300_000 };

/** Traffic over the last hour, day or week. */
export const statsSeriesQuery = (period: StatsPeriod) =>
  queryOptions({
    queryKey: ['stats-series', period],
    queryFn: () => read<StatsSeries>('/stats/series', { period }),
    refetchInterval: REFETCH_MS[period],
    placeholderData: keepPreviousData,
  });

/** Traffic of each target over the last hour. */
export const targetsTrafficQuery = queryOptions({
  queryKey: ['stats-targets'],
  queryFn: () => read<TargetsTraffic>('/stats/targets'),
  refetchInterval: REFETCH_MS.hour,
});
