import type { QueryClient } from '@tanstack/react-query';
import { alertsQuery } from '../api/alerts';
import { connectionQuery } from '../api/connection';
import { latestEventsQuery } from '../api/events';
import { outagesQuery } from '../api/outages';
import { rejectionsQuery } from '../api/rejections';
import { statsQuery } from '../api/stats';
import { subscriptionQuery } from '../api/subscription';
import { isSystemEvent } from '../labels/system-events';
import { throttle } from './throttle';
import type { LiveConnection } from './live-connection';

const EVENT_THROTTLE_MS = 300;
const LIST_THROTTLE_MS = 2_000;
/** What was refused is counted at once and written once a second. */
const QUARANTINE_DELAY_MS = 1_500;

/**
 * Keeps what the page has read in step with what the socket tells. Small states are taken from the message itself;
 * what lists hold is only marked as old, and read anew where a screen shows it. Answers with how to stop.
 */
export function syncQueryCache(live: LiveConnection, cache: QueryClient): () => void {
  const changed = new Set<string>();
  const events = throttle(EVENT_THROTTLE_MS, () => {
    for (const id of changed) void cache.invalidateQueries({ queryKey: ['events', id] });
    changed.clear();
  });
  const lists = throttle(LIST_THROTTLE_MS, () => {
    void cache.invalidateQueries({ queryKey: ['targets'] });
    void cache.invalidateQueries({ queryKey: ['deliveries'] });
    void cache.invalidateQueries({ queryKey: latestEventsQuery.queryKey });
  });
  const outages = throttle(LIST_THROTTLE_MS, () => {
    void cache.invalidateQueries({ queryKey: outagesQuery.queryKey });
  });
  let written: ReturnType<typeof setTimeout> | undefined;
  const quarantine = throttle(LIST_THROTTLE_MS, () => {
    written = setTimeout(
      () => void cache.invalidateQueries({ queryKey: rejectionsQuery.queryKey }),
      QUARANTINE_DELAY_MS,
    );
  });
  let rejected: number | null = null;
  const stops = [
    live.on('counters', (stats) => {
      cache.setQueryData(statsQuery.queryKey, stats);
      // The first count too: what it counts may not have been written when the list was read.
      if (rejected !== stats.received.rejected) quarantine.run();
      rejected = stats.received.rejected;
    }),
    // What is told of an outage goes to the targets as an event of our own.
    live.on('events', (stored) => {
      // What only gathers, since its target is paused or down, is no delivery that changes.
      lists.run();
      if (stored.some(({ type }) => isSystemEvent(type))) outages.run();
    }),
    live.on('connection', ({ connection, subscription }) => {
      cache.setQueryData(connectionQuery.queryKey, connection);
      cache.setQueryData(subscriptionQuery.queryKey, subscription);
    }),
    live.on('alerts', ({ alerts }) => cache.setQueryData(alertsQuery.queryKey, alerts)),
    live.on('deliveries', (deliveries) => {
      for (const { event_id } of deliveries) changed.add(event_id);
      events.run();
      lists.run();
    }),
    live.on('replays', () => void cache.invalidateQueries({ queryKey: ['replays'] })),
    // States change in place, so whatever changed while the socket was away can only be read again.
    live.subscribe(() => {
      if (live.state === 'live') void cache.invalidateQueries();
    }),
    events.stop,
    lists.stop,
    outages.stop,
    quarantine.stop,
    () => clearTimeout(written),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
