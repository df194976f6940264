import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../../api/alerts';
import { connectionQuery } from '../../api/connection';
import { daemonsQuery } from '../../api/daemons';
import { heldDuplicatesQuery } from '../../api/duplicates';
import { latestEventsQuery } from '../../api/events';
import { outagesQuery } from '../../api/outages';
import { rejectionsQuery } from '../../api/rejections';
import { snoozesQuery } from '../../api/snoozes';
import { statsQuery } from '../../api/stats';
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

/** Everything the overview is derived from. */
export function useOverviewData(): OverviewData {
  const live = useLiveState() === 'live';
  return {
    alerts: useQuery({ ...alertsQuery, refetchInterval: live ? false : POLL_WITHOUT_SOCKET_MS }).data,
    connection: useQuery(connectionQuery).data,
    subscription: useQuery(subscriptionQuery).data,
    stats: useStats().data,
    targets: useTargets().data,
    outages: useInfiniteQuery(outagesQuery).data?.pages[0]?.data,
    newestRejection: useInfiniteQuery(rejectionsQuery).data?.pages[0]?.data[0],
    heldDuplicates: useQuery(heldDuplicatesQuery).data,
    daemons: useQuery(daemonsQuery).data,
    snoozes: useQuery(snoozesQuery).data,
    latest: useQuery(latestEventsQuery).data,
  };
}
