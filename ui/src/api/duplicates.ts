import { queryOptions } from '@tanstack/react-query';
import type { Duplicate, DuplicateRelease } from '@contract/duplicate';
import type { Page } from '@contract/page';
import { change, read } from './request';

const PAGE_SIZE = 50;

/** The newest duplicates of an event. */
export const duplicatesOfEventQuery = (event: string) =>
  queryOptions({
    queryKey: ['events', event, 'duplicates'],
    queryFn: () => read<Page<Duplicate>>('/duplicates', { event, limit: PAGE_SIZE }),
    select: (page) => page.data,
  });

/** Delivers a duplicate to the targets that match it now. */
export const releaseDuplicate = (id: string): Promise<DuplicateRelease> =>
  change<DuplicateRelease>('POST', `/duplicates/${encodeURIComponent(id)}/release`);

/** Dismisses a duplicate without delivering it. */
export const dismissDuplicate = (id: string): Promise<Duplicate> =>
  change<Duplicate>('POST', `/duplicates/${encodeURIComponent(id)}/dismiss`);
