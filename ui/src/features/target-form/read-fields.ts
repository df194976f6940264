import type { StatusRange } from '../../../../src/contract/target-policy';
import { formatDuration, parseDuration } from '../../format/duration';
import { formatCount } from '../../format/number';

/** What a field holds, or what is wrong with it. */
export type Reading<Value> = { value: Value } | { fault: string };

/** A length of time, in seconds. */
export function readDuration(text: string, least: number, most: number): Reading<number> {
  const value = parseDuration(text);
  if (value === null) return { fault: 'Enter a duration with a unit, such as 30 s, 5 min, 2.5 h or 1 d.' };
  return value < least || value > most
    ? { fault: `From ${formatDuration(least)} to ${formatDuration(most)}.` }
    : { value };
}

/** Lengths of time with commas between them, in seconds. */
export function readDurations(text: string, least: number, most: number): Reading<number[]> {
  const parts = splitList(text);
  if (parts.length > 50) return { fault: 'At most 50 delays.' };
  const readings = parts.map((part) => ({ part, reading: readDuration(part, least, most) }));
  const values: number[] = [];
  for (const { part, reading } of readings) {
    if ('fault' in reading) return { fault: `${part}: ${reading.fault}` };
    values.push(reading.value);
  }
  return { value: values };
}

/** A number, whole unless said otherwise. */
export function readNumber(text: string, least: number, most: number, whole = true): Reading<number> {
  const value = Number(text.trim());
  if (text.trim() === '' || Number.isNaN(value)) return { fault: 'Enter a number.' };
  if (whole && !Number.isInteger(value)) return { fault: 'Enter a whole number.' };
  return value < least || value > most
    ? { fault: `From ${formatCount(least)} to ${formatCount(most)}.` }
    : { value };
}

const isHundred = (text: string): text is Extract<StatusRange, string> => /^[1-5]xx$/.test(text);

/** Statuses and hundreds of them: `2xx, 304`. */
export function readStatuses(text: string, least: number): Reading<StatusRange[]> {
  const parts = splitList(text.toLowerCase());
  if (parts.length < least) return { fault: 'Enter at least one.' };
  const values: StatusRange[] = [];
  for (const part of parts) {
    if (isHundred(part)) values.push(part);
    else if (/^[1-5]\d\d$/.test(part)) values.push(Number(part));
    else return { fault: `${part} is not a status. Enter a status such as 204, or a range such as 2xx.` };
  }
  return { value: values };
}

const splitList = (text: string) =>
  text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
