import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Delivery, DeliveryState } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
import type { StatsSpan, TargetErrors } from '../../../src/contract/stats';
import { read } from './request';

const PAGE_SIZE = 25;

/** What the deliveries of a target may be narrowed to; it stands in the page's address as well. */
export interface TargetDeliveryFilter {
  status?: DeliveryState;
  /** How the last try failed, or the status that was answered. */
  error?: string;
  /** `deal.created`, or `deal.*`. */
  type?: string;
}

/** The deliveries of a target, newest first, a page at a time. */
export const deliveriesOfTargetQuery = (target: string, filter: TargetDeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', { target, ...filter }],
    queryFn: ({ pageParam }) =>
      read<Page<Delivery>>('/deliveries', { target, ...filter, limit: PAGE_SIZE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** How attempts at a target failed over a span; counted anew as deliveries change. */
export const targetErrorsQuery = (target: string, span: StatsSpan) =>
  queryOptions({
    queryKey: ['deliveries', 'errors', target, span],
    queryFn: () => read<TargetErrors>(`/stats/targets/${target}/errors`, { span }),
    placeholderData: keepPreviousData,
  });
