import { queryOptions } from '@tanstack/react-query';
import type { Duplicate, DuplicateRelease } from '../../../src/contract/duplicate';
import type { Page } from '../../../src/contract/page';
import { change, read } from './request';

const MOST_SHOWN = 50;

/** The newest repeats of an event. */
export const duplicatesOfEventQuery = (event: string) =>
  queryOptions({
    queryKey: ['events', event, 'duplicates'],
    queryFn: () => read<Page<Duplicate>>('/duplicates', { event, limit: MOST_SHOWN }),
    select: (page) => page.data,
  });

/** The newest repeats that wait for an operator. */
export const heldDuplicatesQuery = queryOptions({
  queryKey: ['held-duplicates'],
  queryFn: () => read<Page<Duplicate>>('/duplicates', { state: 'held', limit: MOST_SHOWN }),
  select: (page) => page.data,
  refetchInterval: 60_000,
});

/** Delivers the stored bytes once more, to the targets that accept them today. */
export const releaseDuplicate = (id: string): Promise<DuplicateRelease> =>
  change<DuplicateRelease>('POST', `/duplicates/${encodeURIComponent(id)}/release`);

/** Dismisses it without delivering it. */
export const dismissDuplicate = (id: string): Promise<Duplicate> =>
  change<Duplicate>('POST', `/duplicates/${encodeURIComponent(id)}/dismiss`);
