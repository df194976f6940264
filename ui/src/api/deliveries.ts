import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Delivery } from '../../../src/contract/delivery';
import type { Page } from '../../../src/contract/page';
import { read } from './request';

const PAGE_SIZE = 25;

/** The deliveries of a target, newest first, a page at a time. */
export const deliveriesOfTargetQuery = (target: string) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', { target }],
    queryFn: ({ pageParam }) =>
      read<Page<Delivery>>('/deliveries', { target, limit: PAGE_SIZE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
