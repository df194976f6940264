import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Stats, StatsSeries, TargetSeries, TargetsTraffic } from '@contract/stats';
import { resolveTimeRange, type TimeRange } from '../format/time-range';
import { read } from './request';

/** The key metrics; updated by the socket while it is open. */
export const statsQuery = queryOptions({ queryKey: ['stats'], queryFn: () => read<Stats>('/stats') });

/** A quarter of the shortest step of the series. */
const REFETCH_MS = 15_000;

export const LAST_HOUR: TimeRange = { range: '1h' };

/** Traffic in a range of time; a relative one is resolved each time. */
export const statsSeriesQuery = (range: TimeRange) =>
  queryOptions({
    queryKey: ['stats-series', range],
    queryFn: () => read<StatsSeries>('/stats/series', { ...resolveTimeRange(range, Date.now()) }),
    refetchInterval: range.until === undefined ? REFETCH_MS : false,
    placeholderData: keepPreviousData,
  });

/** Attempts at one target in a range of time; invalidated with its errors, so that both count the same. */
export const targetSeriesQuery = (target: string, range: TimeRange) =>
  queryOptions({
    queryKey: ['deliveries', 'series', target, range],
    queryFn: () =>
      read<TargetSeries>(`/stats/targets/${target}/series`, { ...resolveTimeRange(range, Date.now()) }),
    refetchInterval: range.until === undefined ? REFETCH_MS : false,
    placeholderData: keepPreviousData,
  });

/** Traffic of each target over the last hour. */
export const targetsTrafficQuery = queryOptions({
  queryKey: ['stats-targets'],
  queryFn: () => read<TargetsTraffic>('/stats/targets'),
  refetchInterval: REFETCH_MS,
});
