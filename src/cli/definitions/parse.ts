import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError unless the text is a number of at least 0 */
export function parseNonNegativeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('Must be a number of at least 0.');
}

/** @throws InvalidArgumentError unless the text is a whole number of at least 1 */
export function parseCount(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Must be a whole number of at least 1.');
}

/** @throws InvalidArgumentError unless the text is one of these */
export const parseOneOf =
  <Value extends string>(...values: readonly Value[]) =>
  (text: string): Value => {
    const value = values.find((one) => one === text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`Must be ${values.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`);
  };

/** Of an option that may be given several times. */
export const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @returns seconds @throws InvalidArgumentError unless the text is a duration */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (unit !== undefined) return (Number(count) * UNIT_MS[unit]!) / 1_000;
  throw new InvalidArgumentError('Must be such as 90s, 15m, 24h or 7d.');
}

/** @returns how many per second @throws InvalidArgumentError unless the text is a rate */
export function parseRate(text: string): number {
  const value = Number(/^(.+)\/s$/.exec(text)?.[1]);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('Must be such as 20/s.');
}

/** @returns an ISO time; a time without an offset is UTC @throws InvalidArgumentError unless the text is a time */
export function parseTime(text: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const now = new Date();
  if (unit !== undefined) now.setTime(now.getTime() - Number(count) * UNIT_MS[unit]!);
  else if (text === 'today') now.setUTCHours(0, 0, 0, 0);
  else now.setTime(msOfIso(text));
  if (!Number.isNaN(now.getTime())) return now.toISOString();
  throw new InvalidArgumentError('Must be such as 90s, 15m, 24h, 7d, today or 2026-01-31T12:00:00Z.');
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Since 1970; NaN unless it is a time: `Date` reads other texts as local time, and 30 February as 2 March. */
function msOfIso(text: string): number {
  const [, date = '', time = '00:00', offset = 'Z'] = ISO_TIME.exec(text) ?? [];
  const midnight = new Date(`${date}T00:00Z`);
  const isInCalendar = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
  return isInCalendar ? Date.parse(`${date}T${time}${offset}`) : Number.NaN;
}

/** The same, or the `seq` of an event. */
export const parsePoint = (text: string): string => (/^\d{1,12}$/.test(text) ? text : parseTime(text));

/** @throws InvalidArgumentError unless the text is a URL @param example of one */
export const parseUrl =
  (example: string) =>
  (text: string): string => {
    if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
    throw new InvalidArgumentError(`Must be a URL such as ${example}.`);
  };

/** A place in the order of events, except a time. */
export const POSITION = /^(oldest|newest|\d{1,12}|evt_[0-9a-z]{26})$/;
