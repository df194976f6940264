import type { EventStatus } from '../../../src/contract/event';
import type { EventFilter } from '../api/events';
import { EVENT_WORDS } from '../labels/delivery-labels';

export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );

const isStatus = (text: string | undefined): text is EventStatus => text !== undefined && text in EVENT_WORDS;

/** The live list's filter as its address tells it; what is not a filter is dropped. */
export function liveSearch(search: Record<string, unknown>): EventFilter {
  const filter: EventFilter = {};
  const type = textsOf(search['type']);
  const [entity] = textsOf(search['entity']);
  const [status] = textsOf(search['status']);
  if (type.length > 0) filter.type = type;
  if (entity !== undefined) filter.entity = entity;
  if (isStatus(status)) filter.status = status;
  return filter;
}

const STATUS_MARK = 'status:';

/** The filter as the words of one field: types, `deal:42` for an entity, `status:dead` for a state. */
export function filterToWords({ type = [], entity, status }: EventFilter): string[] {
  const words = [...type];
  if (entity !== undefined) words.push(entity);
  if (status !== undefined) words.push(`${STATUS_MARK}${status}`);
  return words;
}

/** Reads what `filterToWords` writes, and what a person types; of two entities the later one counts. */
export function wordsToFilter(words: readonly string[]): EventFilter {
  const status = words.findLast((word) => word.startsWith(STATUS_MARK))?.slice(STATUS_MARK.length);
  const entity = words.findLast((word) => word.includes(':') && !word.startsWith(STATUS_MARK));
  return liveSearch({ type: words.filter((word) => !word.includes(':')), entity, status });
}

/** The states that a filter can name. */
export const STATUS_WORDS: readonly string[] = Object.keys(EVENT_WORDS).map(
  (status) => `${STATUS_MARK}${status}`,
);
