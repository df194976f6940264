import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Delivery, DeliveryState } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
import type { StatsSpan, TargetErrors } from '../../../src/contract/stats';
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

/** The deliveries of a target, newest first, a page at a time. */
export const deliveriesOfTargetQuery = (target: string, filter: TargetDeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', { target, ...filter }],
    queryFn: ({ pageParam }) =>
      read<Page<Delivery>>('/deliveries', { target, ...filter, limit: PAGE_SIZE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** Failed attempts of a target by error; invalidated when deliveries change. */
export const targetErrorsQuery = (target: string, span: StatsSpan) =>
  queryOptions({
    queryKey: ['deliveries', 'errors', target, span],
    queryFn: () => read<TargetErrors>(`/stats/targets/${target}/errors`, { span }),
    placeholderData: keepPreviousData,
  });
