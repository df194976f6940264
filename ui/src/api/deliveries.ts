import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Delivery, DeliveryState } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
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

const LATEST = 200;

/** The newest deliveries of a target at once, to be counted. */
export const latestOfTargetQuery = (target: string) =>
  queryOptions({
    queryKey: ['deliveries', { target, latest: LATEST }],
    queryFn: () => read<Page<Delivery>>('/deliveries', { target, limit: LATEST }),
    select: (page) => page.data,
  });
