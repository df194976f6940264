import { useQueryClient, type QueryKey } from '@tanstack/react-query';
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

/** Reads queries again when events have arrived; what is being read already is not begun anew. */
export function useRefresh(queryKey: QueryKey, { everyMs, isAbout }: Refresh): void {
  const live = useLive();
  const cache = useQueryClient();
  const key = JSON.stringify(queryKey);
  const latest = useRef(isAbout);
  useEffect(() => {
    latest.current = isAbout;
  });
  useEffect(() => {
    const refresh = throttle(everyMs, () => {
      void cache.invalidateQueries(
        // What was refused would be refused again.
        { queryKey: JSON.parse(key) as QueryKey, predicate: ({ state }) => state.status !== 'error' },
        { cancelRefetch: false },
      );
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
