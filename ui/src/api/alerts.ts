import { queryOptions } from '@tanstack/react-query';
import type { AlertSummary } from '@contract/alert';
import type { Page } from '@contract/page';
import { read } from './request';

/** The active alerts, newest first. */
export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: async () => (await read<Page<AlertSummary>>('/alerts', { limit: 200 })).data,
});
