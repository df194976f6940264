import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { listEvents, type EventFilter } from '../api/events';
import { throttle } from './throttle';
import { matchesFilter } from './event-filter';
import { EventTail } from './event-tail';
import type { TailView } from './tail-view';
import type { LiveConnection } from './live-connection';
import { useLive } from './live-context';

const REFRESH_THROTTLE_MS = 1_000;
const POLL_WITHOUT_SOCKET_MS = 5_000;

/** The last tail of the session, restored when the user returns from an event. */
const lastTail = new WeakMap<LiveConnection, { key: string; tail: EventTail }>();

function tailFor(live: LiveConnection, cache: QueryClient, filter: EventFilter): EventTail {
  const key = JSON.stringify(filter);
  const last = lastTail.get(live);
  if (last?.key === key) return last.tail;
  const matches = matchesFilter(filter);
  const tail = new EventTail(filter, async (limit, cursor) => {
    const queryKey = ['event-pages', filter, limit, cursor];
    // The query cache is used for its retries and its handling of 401, not for caching.
    const page = await cache.fetchQuery({
      queryKey,
      // What is in a name is in the payload.
      queryFn: () => listEvents({ ...filter, q: filter.name }, limit, cursor),
      staleTime: 0,
      gcTime: 0,
    });
    const newest = page.data[0];
    if (newest !== undefined) live.markSeen(newest.seq);
    return { ...page, data: page.data.filter(matches) };
  });
  lastTail.set(live, { key, tail });
  return tail;
}

/** The live list for a filter, updated while the screen is open. `setVisible` sets the visible rows. */
export function useEventTail(filter: EventFilter): {
  tail: EventTail;
  view: TailView;
  setVisible: (first: number, last: number) => void;
} {
  const live = useLive();
  const cache = useQueryClient();
  const key = JSON.stringify(filter);
  // The filter may be a new object on each render, so the tail depends on its text.
  const tail = useMemo(() => {
    const same: EventFilter = JSON.parse(key);
    return tailFor(live, cache, same);
  }, [live, cache, key]);
  const view = useSyncExternalStore(tail.subscribe, tail.read);
  const refresh = useMemo(() => throttle(REFRESH_THROTTLE_MS, () => void tail.refresh()), [tail]);
  const setVisible = useCallback(
    (first: number, last: number) => {
      tail.setVisible(first, last);
      refresh.run();
    },
    [tail, refresh],
  );

  useEffect(() => {
    const stops = [
      live.on('events', (events) => tail.receive(events)),
      live.on('deliveries', (deliveries, isComplete) => {
        if (isComplete) tail.markStale(deliveries.map(({ event_id }) => event_id));
        else tail.markAllStale();
        refresh.run();
      }),
      live.on('gap', () => void tail.catchUp()),
      live.subscribe(() => {
        if (live.state === 'live') void tail.catchUp();
      }),
      refresh.stop,
    ];
    void tail.catchUp();
    const poll = setInterval(() => {
      if (live.state !== 'live' || tail.isIncomplete) void tail.catchUp();
    }, POLL_WITHOUT_SOCKET_MS);
    return () => {
      clearInterval(poll);
      for (const stop of stops) stop();
    };
  }, [live, tail, refresh]);

  return { tail, view, setVisible };
}
