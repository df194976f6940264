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

/** The statuses that a replay can select by, since they are final. */
const OUTCOMES: Partial<Record<EventStatus, OriginalOutcome>> = {
  succeeded: 'succeeded',
  dead: 'dead',
  cancelled: 'cancelled',
};

/** Why no replay can be of exactly the events that match; null if one can. */
export function whyNoReplay({ status, target }: EventSearch): string | null {
  if (status === undefined || status === 'dead') return null;
  if (status === 'unmatched') return 'These events matched no target, so there are no deliveries to replay.';
  if (OUTCOMES[status] === undefined) return 'These events are still queued: they are sent without a replay.';
  return target === undefined ? 'Select a target too: an event may have another status at each.' : null;
}

/** The search as a replay plan of the same events; null if there is none. */
export function toReplaySearch(search: EventSearch): ReplaySearch | null {
  if (whyNoReplay(search) !== null) return null;
  const { status, ...rest } = search;
  return replaySearch({ ...rest, outcome: status && OUTCOMES[status] });
}
