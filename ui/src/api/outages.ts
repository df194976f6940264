import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ListedOutage, Outage } from '@contract/outage';
import type { Page } from '@contract/page';
import { change, read } from './request';

const PAGE_SIZE = 20;

/** Periods in which events may have been missed, newest first. */
export const outagesQuery = infiniteQueryOptions({
  queryKey: ['outages'],
  queryFn: ({ pageParam }) => read<Page<ListedOutage>>('/outages', { limit: PAGE_SIZE, cursor: pageParam }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** Marks an outage as dismissed. */
export const dismissOutage = (id: string): Promise<Outage> =>
  change<Outage>('POST', `/outages/${encodeURIComponent(id)}/dismiss`);
