import type { EventStatus } from '@contract/event';
import type { EventFilter } from '../api/events';
import { EVENT_LABELS } from '../labels/delivery-labels';

/** The non-empty strings of a URL parameter. */
export const toStrings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );

/** The ids of targets in a URL parameter. */
export const toTargetIds = (value: unknown): string[] =>
  toStrings(value).filter((text) => /^tgt_[0-9a-z]{26}$/.test(text));

const isStatus = (text: string): text is EventStatus => text in EVENT_LABELS;

/** The status of this name, if it is one. */
export const toStatus = (text = ''): EventStatus | undefined => (isStatus(text) ? text : undefined);

/** The filter of the live list. */
export function liveSearch(search: Record<string, unknown>): EventFilter {
  const filter: EventFilter = {};
  const type = toStrings(search['type']);
  const [entity] = toStrings(search['entity']);
  const status = toStatus(toStrings(search['status'])[0]);
  if (type.length > 0) filter.type = type;
  if (entity !== undefined) filter.entity = entity;
  if (status !== undefined) filter.status = status;
  if (search['system'] === 'shown') filter.system = 'shown';
  return filter;
}

const STATUS_PREFIX = 'status:';

/** The filter as terms of one field: types, `deal:42` for an entity, `status:dead` for a status. */
export function formatFilter({ type = [], entity, status }: EventFilter): string[] {
  const terms = [...type];
  if (entity !== undefined) terms.push(entity);
  if (status !== undefined) terms.push(`${STATUS_PREFIX}${status}`);
  return terms;
}

/** Parses the terms of the field; the last entity and the last status win. */
export function parseFilter(terms: readonly string[]): EventFilter {
  const status = terms.findLast((term) => term.startsWith(STATUS_PREFIX))?.slice(STATUS_PREFIX.length);
  const entity = terms.findLast((term) => term.includes(':') && !term.startsWith(STATUS_PREFIX));
  const type = terms.filter((word) => !word.includes(':')).map(toPattern);
  return liveSearch({ type, entity, status });
}

/** A type as it is; a word without a dot is a part of a type, as while it is typed. */
const toPattern = (word: string) => (/[.*]/.test(word) || word === 'unreadable' ? word : `*${word}*`);

/** The shortest text that is worth filtering by while it is typed. */
const MIN_TYPED = 2;

/** The filter together with what is being typed, which is taken as a part of a type. */
export function withTyped(filter: EventFilter, typed: string): EventFilter {
  const text = typed.trim();
  if (text.length < MIN_TYPED || text.includes(':')) return filter;
  return { ...filter, type: [...(filter.type ?? []), text.includes('*') ? text : `*${text}*`] };
}

/** The terms for each status. */
export const STATUS_TERMS: readonly string[] = Object.keys(EVENT_LABELS).map(
  (status) => `${STATUS_PREFIX}${status}`,
);
