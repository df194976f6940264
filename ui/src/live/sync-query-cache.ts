import type { QueryClient } from '@tanstack/react-query';
import { alertsQuery } from '../api/alerts';
import { connectionQuery } from '../api/connection';
import { latestEventsQuery } from '../api/events';
import { outagesQuery } from '../api/outages';
import { rejectionsQuery } from '../api/rejections';
import { healthQuery } from '../api/health';
import { statsQuery } from '../api/stats';
import { subscriptionQuery } from '../api/subscription';
import { isSystemEvent } from '../labels/system-events';
import { invalidate } from './invalidate';
import { throttle } from './throttle';
import type { LiveConnection } from './live-connection';

const EVENT_THROTTLE_MS = 300;
const LIST_THROTTLE_MS = 2_000;
/** The daemon counts rejections immediately but writes them once a second. */
const QUARANTINE_DELAY_MS = 1_500;

/**
 * Applies socket messages to the query cache. Small resources are set from the message; lists are only
 * invalidated. @returns a stop function
 */
export function syncQueryCache(live: LiveConnection, cache: QueryClient): () => void {
  const changed = new Set<string>();
  let anyMayHaveChanged = false;
  const events = throttle(EVENT_THROTTLE_MS, () => {
    if (anyMayHaveChanged) void invalidate(cache, { queryKey: ['events'] });
    else for (const id of changed) void invalidate(cache, { queryKey: ['events', id] });
    changed.clear();
    anyMayHaveChanged = false;
  });
  const lists = throttle(LIST_THROTTLE_MS, () => {
    void invalidate(cache, { queryKey: ['targets'] });
    void invalidate(cache, { queryKey: ['deliveries'] });
    void invalidate(cache, { queryKey: latestEventsQuery.queryKey });
  });
  const targets = throttle(EVENT_THROTTLE_MS, () => {
    void invalidate(cache, { queryKey: ['targets'] });
  });
  const health = throttle(EVENT_THROTTLE_MS, () => {
    void invalidate(cache, { queryKey: healthQuery.queryKey });
  });
  const outages = throttle(LIST_THROTTLE_MS, () => {
    void invalidate(cache, { queryKey: outagesQuery.queryKey });
  });
  let rejectionsTimer: ReturnType<typeof setTimeout> | undefined;
  const quarantine = throttle(LIST_THROTTLE_MS, () => {
    rejectionsTimer = setTimeout(
      () => void invalidate(cache, { queryKey: rejectionsQuery.queryKey }),
      QUARANTINE_DELAY_MS,
    );
  });
  let lastRejected: number | null = null;
  const stops = [
    live.on('counters', (stats) => {
      cache.setQueryData(statsQuery.queryKey, stats);
      // Also for the first count: the list may have been read before the rejection was written.
      if (lastRejected !== stats.received.rejected) quarantine.run();
      lastRejected = stats.received.rejected;
    }),
    // Outages are published as system events.
    live.on('events', (stored) => {
      // Deliveries queued for a paused or failing target cause no `deliveries` message.
      lists.run();
      if (stored.some(({ type }) => isSystemEvent(type))) outages.run();
    }),
    live.on('connection', ({ connection, subscription }) => {
      cache.setQueryData(connectionQuery.queryKey, connection);
      cache.setQueryData(subscriptionQuery.queryKey, subscription);
      health.run();
    }),
    live.on('alerts', ({ alerts }) => {
      cache.setQueryData(alertsQuery.queryKey, alerts);
      health.run();
    }),
    live.on('deliveries', (deliveries, isComplete) => {
      for (const { event_id } of deliveries) changed.add(event_id);
      if (!isComplete) anyMayHaveChanged = true;
      events.run();
      lists.run();
    }),
    live.on('targets', () => {
      targets.run();
      health.run();
    }),
    live.on('snoozes', health.run),
    live.on('replays', () => void invalidate(cache, { queryKey: ['replays'] })),
    // Changes during a disconnect are unknown, so everything is reloaded.
    live.subscribe(() => {
      if (live.state === 'live') void invalidate(cache);
    }),
    events.stop,
    lists.stop,
    targets.stop,
    health.stop,
    outages.stop,
    quarantine.stop,
    () => clearTimeout(rejectionsTimer),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
