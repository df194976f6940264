import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Stats, StatsSeries, StatsSpan, TargetsTraffic } from '../../../src/contract/stats';
import { read } from './request';

/** The vital signs; the socket brings them anew while it is open. */
export const statsQuery = queryOptions({ queryKey: ['stats'], queryFn: () => read<Stats>('/stats') });

/** So often something new shows: a few times in each step. */
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
