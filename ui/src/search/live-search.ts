import type { EventStatus } from '../../../src/contract/event';
import type { EventFilter } from '../api/events';
import { EVENT_LABELS } from '../labels/delivery-labels';

export const toStrings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );

const isStatus = (text: string | undefined): text is EventStatus =>
  text !== undefined && text in EVENT_LABELS;

/** The live list's filter as its address tells it; what is not a filter is dropped. */
export function liveSearch(search: Record<string, unknown>): EventFilter {
  const filter: EventFilter = {};
  const type = toStrings(search['type']);
  const [entity] = toStrings(search['entity']);
  const [status] = toStrings(search['status']);
  if (type.length > 0) filter.type = type;
  if (entity !== undefined) filter.entity = entity;
  if (isStatus(status)) filter.status = status;
  return filter;
}

const STATUS_PREFIX = 'status:';

/** The filter as the words of one field: types, `deal:42` for an entity, `status:dead` for a state. */
export function formatFilter({ type = [], entity, status }: EventFilter): string[] {
  const terms = [...type];
  if (entity !== undefined) terms.push(entity);
  if (status !== undefined) terms.push(`${STATUS_PREFIX}${status}`);
  return terms;
}

/** Reads what `filterToWords` writes, and what a person types; of two entities the later one counts. */
export function parseFilter(terms: readonly string[]): EventFilter {
  const status = terms.findLast((word) => word.startsWith(STATUS_PREFIX))?.slice(STATUS_PREFIX.length);
  const entity = terms.findLast((term) => term.includes(':') && !term.startsWith(STATUS_PREFIX));
  return liveSearch({ type: terms.filter((word) => !word.includes(':')), entity, status });
}

/** The states that a filter can name. */
export const STATUS_TERMS: readonly string[] = Object.keys(EVENT_LABELS).map(
  (status) => `${STATUS_PREFIX}${status}`,
);
