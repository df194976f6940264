import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../../api/alerts';
import { connectionQuery } from '../../api/connection';
import { heldDuplicatesQuery } from '../../api/duplicates';
import { latestEventsQuery } from '../../api/events';
import { outagesQuery } from '../../api/outages';
import { rejectionsQuery } from '../../api/rejections';
import { snoozesQuery } from '../../api/snoozes';
import { statsQuery, statsSeriesQuery, targetsTrafficQuery } from '../../api/stats';
import { subscriptionQuery } from '../../api/subscription';
import { useTargets } from '../../features/targets/use-targets';
import { useLiveState } from '../../live/live-context';
import type { OverviewData } from './overview-data';

const POLL_WITHOUT_SOCKET_MS = 5_000;

/** The key metrics, polled while the socket is down. */
export function useStats() {
  const live = useLiveState() === 'live';
  return useQuery({ ...statsQuery, refetchInterval: live ? false : POLL_WITHOUT_SOCKET_MS });
}

/**
 * Everything the overview is derived from. `isLoading` until each part is there or has failed once: parts that
 * appear one after the other would move those below them.
 */
export function useOverviewData(): { data: OverviewData; isLoading: boolean } {
  const live = useLiveState() === 'live';
  const alerts = useQuery({ ...alertsQuery, refetchInterval: live ? false : POLL_WITHOUT_SOCKET_MS });
  const connection = useQuery(connectionQuery);
  const subscription = useQuery(subscriptionQuery);
  const stats = useStats();
  const targets = useTargets();
  const outages = useInfiniteQuery(outagesQuery);
  const rejections = useInfiniteQuery(rejectionsQuery);
  const heldDuplicates = useQuery(heldDuplicatesQuery);
  const snoozes = useQuery(snoozesQuery);
  const latest = useQuery(latestEventsQuery);
  // Used by the panels.
  const panels = [useQuery(statsSeriesQuery('hour')), useQuery(targetsTrafficQuery)];
  const queries = [
    alerts,
    connection,
    subscription,
    stats,
    targets,
    outages,
    rejections,
    heldDuplicates,
    snoozes,
    latest,
    ...panels,
  ];
  return {
    isLoading: queries.some(({ data, failureCount }) => data === undefined && failureCount === 0),
    data: {
      alerts: alerts.data,
      connection: connection.data,
      subscription: subscription.data,
      stats: stats.data,
      targets: targets.data,
      outages: outages.data?.pages[0]?.data,
      newestRejection: rejections.data?.pages[0]?.data[0],
      heldDuplicates: heldDuplicates.data,
      snoozes: snoozes.data,
      latest: latest.data,
    },
  };
}
