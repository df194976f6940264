import { isJsonObject } from '../ground/parse-body';
import type { Format, JsonType } from './schema-node';

const FORMATS: [Format, RegExp][] = [
  ['digits', /^\d+$/],
  ['date-time', /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['uri', /^[a-z][a-z0-9+.-]*:\/\/\S+$/i],
];
const LONGEST_FORMATTED = 2_000;

const HEX = /^[0-9a-f]{16,}$/i;

/**
 * A word of a vocabulary, such as `in_progress`, as names, addresses and texts are not; with dots, it could be a login
 * name or a host.
 */
const CODE = /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/;
const LONGEST_CODE = 40;

/** Longer numbers may be those of telephones. */
const LARGEST_CODE = 999_999;

/** Numbers beyond it are shown in their magnitude only. */
const EXACT_BELOW = 1_000;

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return isJsonObject(value) ? 'object' : (typeof value as 'boolean' | 'string');
}

export function formatOf(text: string): Format | undefined {
  if (text.length > LONGEST_FORMATTED) return undefined;
  return FORMATS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Whether a key is data, such as an id or a date, instead of a name that the sender has chosen. */
export const isDataKey = (key: string): boolean => formatOf(key) !== undefined || HEX.test(key);

/** Whether a key may be a person's. */
export const isPersonalKey = (key: string): boolean => formatOf(key) === 'email';

/** Whether a value may be one of an enumeration, and is no personal data. */
export function isCode(value: string | number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= LARGEST_CODE;
  return value.length <= LONGEST_CODE && CODE.test(value) && formatOf(value) === undefined;
}

/** Rounds away from zero, or towards it, to one significant digit: the number itself could be personal. */
export function roundRange(value: number, towards: 'floor' | 'ceil'): number {
  if (Math.abs(value) < EXACT_BELOW) return Math[towards](value);
  const magnitude = 10 ** Math.floor(Math.log10(Math.abs(value)));
  return Math[towards](value / magnitude) * magnitude;
}
