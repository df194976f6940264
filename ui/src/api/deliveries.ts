import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Delivery, DeliveryDetail, DeliveryState } from '@contract/delivery';
import type { Page } from '@contract/page';
import type { TargetErrors } from '@contract/stats';
import { resolveTimeRange, type TimeRange } from '../format/time-range';
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
export const deliveriesOfTargetQuery = (target: string, filter: TargetDeliveryFilter, range: TimeRange) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', { target, ...filter, ...range }],
    queryFn: ({ pageParam }) =>
      read<Page<Delivery>>('/deliveries', {
        target,
        ...filter,
        ...resolveTimeRange(range, Date.now()),
        limit: PAGE_SIZE,
        cursor: pageParam,
      }),
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
export const targetErrorsQuery = (target: string, range: TimeRange) =>
  queryOptions({
    queryKey: ['deliveries', 'errors', target, range],
    queryFn: () =>
      read<TargetErrors>(`/stats/targets/${target}/errors`, { ...resolveTimeRange(range, Date.now()) }),
    placeholderData: keepPreviousData,
  });

/** The newest delivery whose last attempt failed with an error; null if all have succeeded since. */
export const latestFailureQuery = (target: string, error: string) =>
  queryOptions({
    queryKey: ['deliveries', 'failure', target, error],
    queryFn: async () => {
      const { data } = await read<Page<Delivery>>('/deliveries', { target, error, limit: 1 });
      const [newest] = data;
      return newest === undefined
        ? null
        : read<DeliveryDetail>(`/deliveries/${encodeURIComponent(newest.id)}`);
    },
  });
