import { useQuery } from '@tanstack/react-query';
import { connectionQuery } from '../../api/connection';
import { latestEventsQuery } from '../../api/events';
import { healthQuery } from '../../api/health';
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
  return {
    health: useQuery(healthQuery).data,
    connection: useQuery(connectionQuery).data,
    subscription: useQuery(subscriptionQuery).data,
    stats: useStats().data,
    targets: useTargets().data,
    latest: useQuery(latestEventsQuery).data,
  };
}
