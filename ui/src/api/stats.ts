import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Stats, StatsSeries, StatsSpan, TargetsTraffic } from '../../../src/contract/stats';
import { read } from './request';

/** The key metrics; updated by the socket while it is open. */
export const statsQuery = queryOptions({ queryKey: ['stats'], queryFn: () => read<Stats>('/stats') });

/** A few times per step of the series. */
const REFETCH_MS: Record<StatsSpan, number> = { hour: 15_000, day: 60_000, week: 300_000 };

/** What happened over the last hour, day or week. */
export const statsSeriesQuery = (span: StatsSpan) =>
  queryOptions({
    queryKey: ['stats-series', span],
    queryFn: () => read<StatsSeries>('/stats/series', { span }),
    refetchInterval: REFETCH_MS[span],
    placeholderData: keepPreviousData,
  });

/** The last hour of each target. */
export const targetsTrafficQuery = queryOptions({
  queryKey: ['stats-targets'],
  queryFn: () => read<TargetsTraffic>('/stats/targets'),
  refetchInterval: REFETCH_MS.hour,
});
