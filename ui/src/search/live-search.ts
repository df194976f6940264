import type { EventStatus } from '@contract/event';
import type { EventFilter } from '../api/events';
import { EVENT_LABELS } from '../labels/delivery-labels';
import { EVENT_TYPES } from '../labels/event-types';

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
  const [name] = toStrings(search['name']);
  if (name !== undefined) filter.name = name;
  if (search['system'] === 'shown') filter.system = 'shown';
  return filter;
}

const STATUS_PREFIX = 'status:';

/** The filter as terms of one field: types, `deal:42` for an entity, `status:dead` for a status, words of a name. */
export function formatFilter({ type = [], entity, status, name }: EventFilter): string[] {
  const terms = [...type];
  if (entity !== undefined) terms.push(entity);
  if (status !== undefined) terms.push(`${STATUS_PREFIX}${status}`);
  return name === undefined ? terms : [...terms, name];
}

/** Parses the terms of the field; the last entity and the last status win. */
export function parseFilter(terms: readonly string[]): EventFilter {
  const status = terms.findLast((term) => term.startsWith(STATUS_PREFIX))?.slice(STATUS_PREFIX.length);
  const entity = terms.findLast((term) => term.includes(':') && !term.startsWith(STATUS_PREFIX));
  return liveSearch({ entity, status, ...parseWords(terms.filter((word) => !word.includes(':'))) });
}

/** A word in a type without a dot, as while it is typed, is a part of types; any other is one of a name. */
function parseWords(words: readonly string[]): Pick<EventFilter, 'type' | 'name'> {
  const parts = words.map((word) => toPattern(word));
  const type = parts.filter((pattern) => pattern !== null);
  const name = words.filter((_, index) => parts[index] === null).join(' ');
  return { ...(type.length > 0 && { type }), ...(name !== '' && { name }) };
}

function toPattern(word: string): string | null {
  if (/^[\w.*]+$/.test(word) && (/[.*]/.test(word) || word === 'unreadable')) return word;
  const part = word.toLowerCase();
  return EVENT_TYPES.some((type) => type.includes(part)) ? `*${part}*` : null;
}

/** The shortest text that is worth filtering by while it is typed. */
const MIN_TYPED = 2;

/** The filter together with what is being typed. */
export function withTyped(filter: EventFilter, typed: string): EventFilter {
  const text = typed.trim();
  if (text.length < MIN_TYPED || text.includes(':')) return filter;
  const { type = [], name } = parseWords([text]);
  // Its end may follow.
  const types = type.map((pattern) => (pattern.includes('*') ? pattern : `*${pattern}*`));
  return {
    ...filter,
    ...(types.length > 0 && { type: [...(filter.type ?? []), ...types] }),
    ...(name !== undefined && { name: filter.name === undefined ? name : `${filter.name} ${name}` }),
  };
}

/** The terms for each status. */
export const STATUS_TERMS: readonly string[] = Object.keys(EVENT_LABELS).map(
  (status) => `${STATUS_PREFIX}${status}`,
);
