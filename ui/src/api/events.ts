import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { EventDetail, EventHistogram, EventStatus, ListedEvent } from '@contract/event';
import type { Explanation } from '@contract/explanation';
import type { Page } from '@contract/page';
import type { EventReplay, EventResend, Replay, Resent } from '@contract/replay';
import { isSystemEvent } from '../labels/system-events';
import { resolveTimeRange, type TimeRange } from '../format/time-range';
import { change, read, readBytes, type Query } from './request';

/** A filter of a list of events; it is part of the page's URL. */
export interface EventFilter {
  type?: string[];
  entity?: string;
  status?: EventStatus;
  /** A part of the name of the deal, contact or task. */
  name?: string;
  /** System events are hidden unless they are asked for. */
  system?: 'shown';
}

/** A search through all events. */
export interface EventSearch extends EventFilter, TimeRange {
  /** Only these events. */
  seq?: readonly number[];
  /** Text in the payload. */
  q?: string;
  target?: string;
  /** Conditions on the payload, as JSON. */
  payload?: string;
  /** Paths of payload fields that are shown as columns. */
  column?: string[];
}

/** Whether a list leaves out system events. Their types can be asked for by name. */
export const hidesSystemEvents = ({ type = [], system }: EventFilter): boolean =>
  system === undefined && !type.some(isSystemEvent);

/** The search as parameters of the API. A relative range of time is resolved at `now`. */
export function toEventQuery(search: EventSearch, now: number): Query {
  const { seq, type, entity, status, target, q, payload } = search;
  const origin = hidesSystemEvents(search) ? 'not_switchboard' : undefined;
  return {
    seq: seq?.map(String),
    type,
    entity,
    status,
    target,
    q,
    payload,
    origin,
    ...resolveTimeRange(search, now),
  };
}

/** One page of events, newest first. */
export function listEvents(
  filter: EventSearch,
  limit: number,
  cursor?: string,
  now = Date.now(),
): Promise<Page<ListedEvent>> {
  return read('/events', { ...toEventQuery(filter, now), field: filter.column, limit, cursor });
}

const PAGE_SIZE = 100;

/**
 * Matching events as of the time of the query, so that rows do not move while they are read. A page with
 * few or no rows is not necessarily the last one.
 */
export const foundEventsQuery = (filter: EventSearch, queriedAt: number) =>
  infiniteQueryOptions({
    queryKey: ['found-events', filter, queriedAt],
    queryFn: ({ pageParam }) => listEvents(filter, PAGE_SIZE, pageParam, queriedAt),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 'static',
    placeholderData: keepPreviousData,
  });

/** The newest matching events, refetched on demand. */
export const newestEventsQuery = (filter: EventSearch) =>
  queryOptions({
    queryKey: ['newest-events', filter],
    queryFn: () => listEvents(filter, PAGE_SIZE),
    staleTime: 0,
  });

/** The newest event of a type; null if there is none. */
export const newestOfTypeQuery = (type: string) =>
  queryOptions({
    queryKey: ['newest-of-type', type],
    queryFn: async () => (await listEvents({ type: [type] }, 1)).data[0] ?? null,
  });

/** At most this many bars, so that each is wide enough to be pointed at. */
const HISTOGRAM_BUCKETS = 60;

/** The matching events by time and status, as of the time of the query. */
export const eventHistogramQuery = (filter: EventSearch, queriedAt: number) =>
  queryOptions({
    queryKey: ['event-histogram', filter, queriedAt],
    queryFn: () =>
      read<EventHistogram>('/events/histogram', {
        ...toEventQuery(filter, queriedAt),
        buckets: HISTOGRAM_BUCKETS,
      }),
    staleTime: 'static',
    placeholderData: keepPreviousData,
  });

export const LATEST_EVENTS = 6;

/** The latest few events. */
export const latestEventsQuery = queryOptions({
  queryKey: ['latest-events'],
  queryFn: () => listEvents({ system: 'shown' }, LATEST_EVENTS),
  select: (page) => page.data,
});

/** One event with its headers, verification and deliveries. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id],
    queryFn: () => read<EventDetail>(`/events/${encodeURIComponent(id)}`),
  });

/** While something is queued, its reason contains the time until the next attempt. */
const COUNTDOWN_INTERVAL_MS = 5_000;

/** What became of an event at every target, and why. */
export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id, 'explanation'],
    queryFn: () => read<Explanation>(`/events/${encodeURIComponent(id)}/explain`),
    refetchInterval: ({ state: { data } }) =>
      data?.targets.some(({ outcome }) => outcome === 'queued') === true && COUNTDOWN_INTERVAL_MS,
  });

/** The API path of an event's raw body, or of what the user may see of it. */
export const eventBodyPath = (id: string): string => `/events/${encodeURIComponent(id)}/body?masked=true`;

const ACCEPTED_EVENTS = 20;

/** The newest events of types that a target receives. */
export const newestAcceptedQuery = (type: string[]) =>
  queryOptions({
    queryKey: ['events', 'accepted', type],
    queryFn: () => listEvents({ type }, ACCEPTED_EVENTS),
    select: (page) => page.data,
  });

/** The raw body of an event. It never changes, so it is fetched once. */
export const eventBodyQuery = (id: string) =>
  queryOptions({
    queryKey: ['event-bodies', id],
    queryFn: () => readBytes(eventBodyPath(id)),
    staleTime: 'static',
    gcTime: 60_000,
  });

/** Creates new deliveries of a stored event. */
export const replayEvent = (id: string, input: EventReplay): Promise<Replay> =>
  change<Replay>('POST', `/events/${encodeURIComponent(id)}/replay`, input);

/** Creates manual deliveries of a stored event with another payload. */
export const resendEvent = (id: string, input: EventResend): Promise<Resent> =>
  change<Resent>('POST', `/events/${encodeURIComponent(id)}/resend`, input);
