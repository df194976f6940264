import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { EventSummary } from '@contract/event';
import { foundEventsQuery, newestEventsQuery, type EventSearch } from '../../api/events';
import { throttle } from '../../live/throttle';
import { useLive } from '../../live/live-context';
import { updateEvents } from '../../live/update-events';

const REFRESH_THROTTLE_MS = 2_000;

/** A search and the position in its results, restored when the user returns from an event. */
interface Position {
  key: string;
  queriedAt: number;
  offset: number;
  activeId: string | null;
  /** The newest event of the list before it was read again. */
  newestSeen?: number;
}

let lastPosition: Position | null = null;

function restorePosition(key: string): Position {
  if (lastPosition?.key !== key) lastPosition = { key, queriedAt: Date.now(), offset: 0, activeId: null };
  return lastPosition;
}

/** The events as of the time of the search: newer ones are only counted, but states are updated. */
export function useFoundEvents(filter: EventSearch) {
  const key = JSON.stringify(filter);
  const position = restorePosition(key);
  const [, setQueriedAt] = useState(position.queriedAt);
  const pages = useInfiniteQuery(foundEventsQuery(filter, position.queriedAt));
  const newest = useQuery({ ...newestEventsQuery(filter), enabled: pages.data !== undefined });
  useNewestUpdates(filter);

  const found = pages.data?.pages.flatMap((page) => page.data) ?? [];
  const now = pages.isPlaceholderData ? [] : (newest.data?.data ?? []);
  const rows = updateEvents(found, now);
  const top = rows[0]?.seq ?? 0;
  const newer = pages.isPlaceholderData || pages.data === undefined ? 0 : countNewer(now, top);
  const reload = () => {
    lastPosition = { key, queriedAt: Date.now(), offset: 0, activeId: null, newestSeen: top };
    setQueriedAt(lastPosition.queriedAt);
  };
  const savePosition = (part: Partial<Pick<Position, 'offset' | 'activeId'>>) => {
    if (lastPosition?.queriedAt === position.queriedAt) lastPosition = { ...lastPosition, ...part };
  };
  return {
    pages,
    rows,
    newer,
    hasMoreNewer: newer === now.length && newer > 0,
    reload,
    position,
    savePosition,
  };
}

export type FoundEvents = ReturnType<typeof useFoundEvents>;

const countNewer = (events: readonly EventSummary[], top: number) =>
  events.filter(({ seq }) => seq > top).length;

/** Refetches the newest events when the socket reports a change. */
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
