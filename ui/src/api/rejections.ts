import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { RecheckOutcome, RejectionPage } from '@contract/rejection';
import { change, read, readBytes } from './request';

const PAGE_SIZE = 20;

/** Notifications without a valid signature, newest first. */
export const rejectionsQuery = infiniteQueryOptions({
  queryKey: ['rejections'],
  queryFn: ({ pageParam }) => read<RejectionPage>('/rejections', { limit: PAGE_SIZE, cursor: pageParam }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** The API path of the raw body of a rejection. */
export const rejectionBodyPath = (id: string): string => `/rejections/${encodeURIComponent(id)}/body`;

/** The raw body of a quarantined notification. It never changes, so it is fetched once. */
export const rejectionBodyQuery = (id: string) =>
  queryOptions({
    queryKey: ['rejection-bodies', id],
    queryFn: () => readBytes(rejectionBodyPath(id)),
    staleTime: 'static',
    gcTime: 60_000,
  });

/** Verifies a quarantined notification against the current secrets and accepts it if one matches. */
export const recheckRejection = (id: string): Promise<RecheckOutcome> =>
  change<RecheckOutcome>('POST', `/rejections/${encodeURIComponent(id)}/recheck`);

/** Deletes a quarantined notification for good. */
export const deleteRejection = (id: string): Promise<void> =>
  change<void>('DELETE', `/rejections/${encodeURIComponent(id)}`);
