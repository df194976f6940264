import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { DeadLetterCause, DeadLetterCauses } from '@contract/dead-letter';
import type { Delivery, DeliveryDetail, DeliveryJob } from '@contract/delivery';
import type { Page } from '@contract/page';
import { change, read } from './request';

/** A filter of dead letters; it is part of the page's URL. */
export interface DeadLetterFilter {
  target?: string;
  type?: string;
  error?: string;
  since?: string;
  until?: string;
}

/** Dead letters by their ids, or all that match and had failed by a time. */
export type DeadLetterSelection = { ids: string[] } | (DeadLetterFilter & { failed_until?: string });

/** Limits a selection to what these causes count, however many more fail meanwhile. */
export const failedUntil = (causes: readonly DeadLetterCause[]) => {
  const failed_until = causes
    .map(({ last_failed_at: at }) => at)
    .toSorted()
    .at(-1);
  return failed_until === undefined ? {} : { failed_until };
};

/** The API selects all only if it is asked for all. */
export const inBody = (selection: DeadLetterSelection) => {
  const narrowing = Object.entries(selection).filter(([name]) => name !== 'failed_until');
  return narrowing.every(([, value]) => value === undefined) ? { ...selection, all: true } : selection;
};

const PAGE_SIZE = 25;
const POLL_MS = 1_000;
const LATEST_JOBS = 10;

/** Counts by cause. The key is below `deliveries`, so that it is invalidated with them. */
export const deadLetterCausesQuery = (filter: DeadLetterFilter) =>
  queryOptions({
    queryKey: ['deliveries', 'causes', filter],
    queryFn: () => read<DeadLetterCauses>('/dead-letters/causes', { ...filter }),
    select: (response) => response.data,
    placeholderData: keepPreviousData,
  });

/** Dead letters, newest event first, page by page. */
export const deadLettersQuery = (filter: DeadLetterFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', 'dead', filter],
    queryFn: ({ pageParam }) =>
      read<Page<Delivery>>('/dead-letters', { ...filter, limit: PAGE_SIZE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** Bulk jobs on dead letters, newest first; polled every second while one is running. */
export const deliveryJobsQuery = queryOptions({
  queryKey: ['delivery-jobs'],
  queryFn: () => read<Page<DeliveryJob>>('/deliveries/jobs', { limit: LATEST_JOBS }),
  select: (page) => page.data,
  refetchInterval: ({ state }) => (state.data?.data.some(isRunning) === true ? POLL_MS : false),
});

export const isRunning = ({ state }: DeliveryJob): boolean => state === 'running';

const pathOf = (id: string, action: string) => `/deliveries/${encodeURIComponent(id)}/${action}`;

/** Retries one delivery immediately. */
export const retryDelivery = (id: string): Promise<DeliveryDetail> =>
  change<DeliveryDetail>('POST', pathOf(id, 'retry'));

/** Discards one delivery. */
export const discardDelivery = (id: string, reason: string): Promise<DeliveryDetail> =>
  change<DeliveryDetail>('POST', pathOf(id, 'discard'), { reason });

/** Retries many deliveries in the background. */
export const retryDeadLetters = (selection: DeadLetterSelection): Promise<DeliveryJob> =>
  change<DeliveryJob>('POST', '/deliveries/retry', inBody(selection));

/** Discards many deliveries in the background. */
export const discardDeadLetters = (selection: DeadLetterSelection, reason: string): Promise<DeliveryJob> =>
  change<DeliveryJob>('POST', '/deliveries/discard', { ...inBody(selection), reason });

/** Cancels a bulk job; completed work is kept. */
export const cancelDeliveryJob = (id: string): Promise<DeliveryJob> =>
  change<DeliveryJob>('POST', `/deliveries/jobs/${encodeURIComponent(id)}/cancel`);
