import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { listEvents } from './events';

const PAGE_SIZE = 20;

const entityHistoryKey = (entity: string) => ['entity-history', entity] as const;

/** The events of one entity, newest first, page by page. */
export const entityHistoryQuery = (entity: string) =>
  infiniteQueryOptions({
    queryKey: [...entityHistoryKey(entity), 'all'],
    queryFn: ({ pageParam }) => listEvents({ entity }, PAGE_SIZE, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** The events of an entity before the given one, newest first. An event id is a valid cursor. */
export const eventsBeforeQuery = (entity: string, id: string, count: number) =>
  queryOptions({
    queryKey: [...entityHistoryKey(entity), 'before', id],
    queryFn: () => listEvents({ entity }, count, id),
    select: (page) => page.data,
  });

/** The most events that one request returns. */
const TIMELINE_EVENTS = 200;

/** The newest events of an entity, oldest first. */
export const entityTimelineQuery = (entity: string) =>
  queryOptions({
    queryKey: [...entityHistoryKey(entity), 'timeline'],
    queryFn: () => listEvents({ entity }, TIMELINE_EVENTS),
    select: (page) => page.data.toReversed(),
  });
