import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Page } from '../../../src/contract/page';
import type { RecheckOutcome, Rejection } from '../../../src/contract/rejection';
import { change, read } from './request';

const PAGE_SIZE = 20;

/** Notifications that no signature fitted, newest first. */
export const rejectionsQuery = infiniteQueryOptions({
  queryKey: ['rejections'],
  queryFn: ({ pageParam }) => read<Page<Rejection>>('/rejections', { limit: PAGE_SIZE, cursor: pageParam }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** Holds a quarantined notification against today's secrets and takes it in where one fits. */
export const recheckRejection = (id: string): Promise<RecheckOutcome> =>
  change<RecheckOutcome>('POST', `/rejections/${encodeURIComponent(id)}/recheck`);
