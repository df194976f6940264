import { useQueryClient, type QueryFilters, type QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { EventSummary } from '@contract/event';
import { useLive } from './live-context';
import { throttle } from './throttle';

interface Refresh {
  /** Queries that are read again at most this often. */
  everyMs: number;
  /** Which events they depend on. */
  isAbout: (event: EventSummary) => boolean;
}

/** Reads queries again when events have arrived; what is being read already is read again after that. */
export function useRefresh(queryKey: QueryKey, { everyMs, isAbout }: Refresh): void {
  const live = useLive();
  const cache = useQueryClient();
  const key = JSON.stringify(queryKey);
  const latest = useRef(isAbout);
  useEffect(() => {
    latest.current = isAbout;
  });
  useEffect(() => {
    // What was refused would be refused again.
    const queries: QueryFilters = {
      queryKey: JSON.parse(key) as QueryKey,
      predicate: ({ state }) => state.status !== 'error',
    };
    const readAgain = () => cache.invalidateQueries(queries, { cancelRefetch: false });
    const refresh = throttle(everyMs, () => {
      // What is being read may have been read before the events were stored.
      const isReading = cache.isFetching(queries) > 0;
      void readAgain().then(() => (isReading ? readAgain() : undefined));
    });
    const stops = [
      live.on('events', (stored) => {
        if (stored.some((event) => latest.current(event))) refresh.run();
      }),
      live.on('gap', refresh.run),
      refresh.stop,
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [live, cache, key, everyMs]);
}
