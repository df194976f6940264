import type { EventStatus } from '@contract/event';
import type { OriginalOutcome } from '@contract/replay';
import type { EventSearch } from '../api/events';
import { parseTimeRange } from '../format/time-range';
import { liveSearch, toStrings, toTargetIds } from './live-search';
import { parsePayload } from './payload-conditions';
import { replaySearch, type ReplaySearch } from './replay-search';

/** More would leave no room for their values. */
export const MAX_COLUMNS = 6;

/** The filter of the Events screen. */
export function eventsSearch(search: Record<string, unknown>): EventSearch {
  const found: EventSearch = { ...liveSearch(search), ...parseTimeRange(search) };
  const [text] = toStrings(search['q']);
  if (text !== undefined) found.q = text;
  const [target] = toTargetIds(search['target']);
  if (target !== undefined) found.target = target;
  const [payload] = toStrings(search['payload']);
  if (payload !== undefined && parsePayload(payload) !== null) found.payload = payload;
  const column = toStrings(search['column']);
  if (column.length > 0) found.column = [...new Set(column)].slice(0, MAX_COLUMNS);
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
  const outcome = status === undefined ? undefined : OUTCOMES[status];
  return outcome === null ? null : replaySearch({ ...rest, outcome });
}
