import type { StatusRange } from '@contract/target-policy';
import { formatDuration, parseDuration } from '../../format/duration';
import { formatCount } from '../../format/number';

/** The parsed value of a field, or its error. */
export type ParseResult<Value> = { value: Value } | { error: string };

/** Parses a duration, in seconds. */
export function parseDurationField(text: string, min: number, max: number): ParseResult<number> {
  const value = parseDuration(text);
  if (value === null) return { error: 'Enter a duration with a unit, such as 30 s, 5 min, 2.5 h or 1 d.' };
  return value < min || value > max
    ? { error: `From ${formatDuration(min)} to ${formatDuration(max)}.` }
    : { value };
}

/** Parses comma-separated durations, in seconds. */
export function parseDurations(text: string, min: number, max: number): ParseResult<number[]> {
  const parts = splitList(text);
  if (parts.length > 50) return { error: 'At most 50 delays.' };
  const results = parts.map((part) => ({ part, result: parseDurationField(part, min, max) }));
  const values: number[] = [];
  for (const { part, result } of results) {
    if ('error' in result) return { error: `${part}: ${result.error}` };
    values.push(result.value);
  }
  return { value: values };
}

/** Parses a number, by default an integer. */
export function parseNumber(text: string, min: number, max: number, isInteger = true): ParseResult<number> {
  const value = Number(text.trim());
  if (text.trim() === '' || Number.isNaN(value)) return { error: 'Enter a number.' };
  if (isInteger && !Number.isInteger(value)) return { error: 'Enter a whole number.' };
  return value < min || value > max
    ? { error: `From ${formatCount(min)} to ${formatCount(max)}.` }
    : { value };
}

const isStatusRange = (text: string): text is Extract<StatusRange, string> => /^[1-5]xx$/.test(text);

/** Parses statuses and ranges: `2xx, 304`. */
export function parseStatuses(text: string, minCount: number): ParseResult<StatusRange[]> {
  const parts = splitList(text.toLowerCase());
  if (parts.length < minCount) return { error: 'Enter at least one.' };
  const values: StatusRange[] = [];
  for (const part of parts) {
    if (isStatusRange(part)) values.push(part);
    else if (/^[1-5]\d\d$/.test(part)) values.push(Number(part));
    else return { error: `${part} is not a status. Enter a status such as 204, or a range such as 2xx.` };
  }
  return { value: values };
}

const splitList = (text: string) =>
  text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
