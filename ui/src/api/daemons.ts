import { queryOptions } from '@tanstack/react-query';
import type { DaemonList } from '@contract/daemon';
import { read } from './request';

/** A daemon renews its lease every 3 s. */
const REFETCH_MS = 5_000;

/** The daemons of the hub. Leases run out without a message, so they are asked for again if there are several. */
export const daemonsQuery = queryOptions({
  queryKey: ['daemons'],
  queryFn: () => read<DaemonList>('/daemons'),
  refetchInterval: ({ state: { data } }) => (data !== undefined && data.length > 1 ? REFETCH_MS : false),
});
