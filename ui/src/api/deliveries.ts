import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Delivery, DeliveryDetail, DeliveryState } from '@contract/delivery';
import type { Page } from '@contract/page';
import type { StatsPeriod, TargetErrors } from '@contract/stats';
import { read } from './request';

const PAGE_SIZE = 25;

/** A filter of a target's deliveries; it is part of the page's URL. */
export interface TargetDeliveryFilter {
  status?: DeliveryState;
  /** The error of the last attempt, or its HTTP status. */
  error?: string;
  /** `deal.created`, or `deal.*`. */
  type?: string;
}

/** The deliveries of a target, newest first, page by page. */
export const deliveriesOfTargetQuery = (target: string, filter: TargetDeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', { target, ...filter }],
    queryFn: ({ pageParam }) =>
      read<Page<Delivery>>('/deliveries', { target, ...filter, limit: PAGE_SIZE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

const POLL_MS = 500;

/** A delivery with its attempts, polled until its first attempt has ended. */
export const deliveryOutcomeQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'outcome', id],
    queryFn: () => read<DeliveryDetail>(`/deliveries/${encodeURIComponent(id)}`),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || (data.attempts.length === 0 && data.finished_at === null) ? POLL_MS : false,
  });

/** Failed attempts of a target by error; invalidated when deliveries change. */
export const targetErrorsQuery = (target: string, period: StatsPeriod) =>
  queryOptions({
    queryKey: ['deliveries', 'errors', target, period],
    queryFn: () => read<TargetErrors>(`/stats/targets/${target}/errors`, { period }),
    placeholderData: keepPreviousData,
  });
