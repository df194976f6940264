import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { EventSummary } from '../../../../src/contract/event';
import { foundEventsQuery, newestEventsQuery, type EventSearch } from '../../api/events';
import { throttle } from '../../live/throttle';
import { useLive } from '../../live/live-context';
import { updateEvents } from '../../live/update-events';

const REFRESH_THROTTLE_MS = 2_000;

/** What was found, and where one was in it. Coming back from an event finds it as it was left. */
interface Position {
  key: string;
  queriedAt: number;
  offset: number;
  activeId: string | null;
}

let left: Position | null = null;

function positionOf(key: string): Position {
  if (left?.key !== key) left = { key, queriedAt: Date.now(), offset: 0, activeId: null };
  return left;
}

/** The events that match as they were found: newer ones are counted, not added. Their states are kept up. */
export function useFoundEvents(filter: EventSearch) {
  const key = JSON.stringify(filter);
  const place = positionOf(key);
  const [, setAsked] = useState(place.queriedAt);
  const pages = useInfiniteQuery(foundEventsQuery(filter, place.queriedAt));
  const newest = useQuery({ ...newestEventsQuery(filter), enabled: pages.data !== undefined });
  useNewestUpdates(filter);

  const found = pages.data?.pages.flatMap((page) => page.data) ?? [];
  const now = pages.isPlaceholderData ? [] : (newest.data?.data ?? []);
  const rows = updateEvents(found, now);
  const top = rows[0]?.seq ?? 0;
  const newer = pages.isPlaceholderData || pages.data === undefined ? 0 : countNewer(now, top);
  const reload = () => {
    left = { key, queriedAt: Date.now(), offset: 0, activeId: null };
    setAsked(left.queriedAt);
  };
  const remember = (part: Partial<Pick<Position, 'offset' | 'activeId'>>) => {
    if (left?.queriedAt === place.queriedAt) left = { ...left, ...part };
  };
  return {
    pages,
    rows,
    newer,
    hasMoreNewer: newer === now.length && newer > 0,
    again: reload,
    place,
    remember,
  };
}

export type FoundEvents = ReturnType<typeof useFoundEvents>;

const countNewer = (events: readonly EventSummary[], top: number) =>
  events.filter(({ seq }) => seq > top).length;

/** The socket only says that something has come or changed; what, the list says. */
function useNewestUpdates(filter: EventSearch): void {
  const live = useLive();
  const cache = useQueryClient();
  const key = JSON.stringify(filter);
  useEffect(() => {
    const refresh = throttle(REFRESH_THROTTLE_MS, () => {
      const { queryKey } = newestEventsQuery(JSON.parse(key) as EventSearch);
      void cache.invalidateQueries({ queryKey });
    });
    const stops = [
      live.on('events', refresh.run),
      live.on('deliveries', refresh.run),
      live.on('gap', refresh.run),
      refresh.stop,
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [live, cache, key]);
}
