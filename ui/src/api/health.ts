import { queryOptions } from '@tanstack/react-query';
import type { HubHealth } from '@contract/health';
import { read } from './request';

/** What no message announces, such as the end of a lease, is found within this time. */
const REFETCH_MS = 5_000;

/** Whether all is well, and what needs attention. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => read<HubHealth>('/health'),
  refetchInterval: REFETCH_MS,
});
