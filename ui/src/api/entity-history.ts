import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { listEvents } from './events';

/** One more than is shown: the last one is only compared with. */
const PAGE_SIZE = 21;

/** All that is read of one entity's events. */
const entityHistoryKey = (entity: string) => ['entity-history', entity] as const;

/** The events of one entity, newest first, a page at a time. */
export const entityHistoryQuery = (entity: string) =>
  infiniteQueryOptions({
    queryKey: [...entityHistoryKey(entity), 'all'],
    queryFn: ({ pageParam }) => listEvents({ entity }, PAGE_SIZE, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** The events of one entity right before one of them, newest first. Lists take an event's id as their cursor. */
export const eventsBeforeQuery = (entity: string, id: string, count: number) =>
  queryOptions({
    queryKey: [...entityHistoryKey(entity), 'before', id],
    queryFn: () => listEvents({ entity }, count, id),
    select: (page) => page.data,
  });
