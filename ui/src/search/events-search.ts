import type { EventStatus } from '@contract/event';
import type { OriginalOutcome } from '@contract/replay';
import type { EventSearch } from '../api/events';
import { liveSearch, toStrings } from './live-search';
import type { ReplaySearch } from './replay-search';

const TEXTS = ['q', 'target', 'since', 'until'] as const;

/** The filter of the Events screen. */
export function eventsSearch(search: Record<string, unknown>): EventSearch {
  const found: EventSearch = liveSearch(search);
  for (const name of TEXTS) {
    const [text] = toStrings(search[name]);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

const OUTCOMES: Record<EventStatus, OriginalOutcome | null> = {
  unmatched: null,
  pending: 'open',
  retrying: 'open',
  succeeded: 'succeeded',
  dead: 'dead',
  cancelled: 'cancelled',
};

/** The search as a replay plan; null if the matching events have no deliveries to replay. */
export function toReplaySearch({ status, ...rest }: EventSearch): ReplaySearch | null {
  if (status === undefined) return rest;
  const outcome = OUTCOMES[status];
  return outcome === null ? null : { ...rest, outcome: [outcome] };
}
