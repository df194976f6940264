import type { EventStatus } from '../../../src/contract/event';
import type { OriginalOutcome } from '../../../src/contract/replay';
import type { EventSearch } from '../api/events';
import { liveSearch, toStrings } from './live-search';
import type { ReplaySearch } from './replay-search';

const TEXTS = ['q', 'target', 'since', 'until'] as const;

/** A search through all events as its address tells it; what is no part of one is dropped. */
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

/** What was searched for, as the plan of a replay; null where it went nowhere that it could go to again. */
export function toReplaySearch({ status, ...rest }: EventSearch): ReplaySearch | null {
  if (status === undefined) return rest;
  const outcome = OUTCOMES[status];
  return outcome === null ? null : { ...rest, outcome: [outcome] };
}
