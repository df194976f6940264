import { readTime } from '../ground/read-time';

const DATE = /^[A-Z][a-z]{2,8}, (\d\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) (\d\d:\d\d:\d\d) GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4}|\d\d)$/;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const YEARS_AHEAD = 50;

/** About three centuries: a larger number is as good. */
const MAX_S = 1e10;

/**
 * The wait that a `Retry-After` header asks for, in ms: seconds, also with a fraction, or a date (RFC 9110, 10.2.3).
 * Null if it is invalid.
 * @param now ms since 1970
 */
export function readRetryAfter(text: string, now: number): number | null {
  const trimmed = text.trim();
  if (/^\d+(\.\d*)?$/.test(trimmed)) return Math.min(Math.ceil(Number(trimmed)), MAX_S) * 1_000;
  const at = readHttpDate(trimmed, new Date(now).getUTCFullYear());
  return at === null ? null : Math.max(0, at - now);
}

/** All three forms of a date in HTTP (RFC 9110, 5.6.7), always UTC. A year of two digits is at most 50 years ahead. */
function readHttpDate(text: string, thisYear: number): number | null {
  const [, month, day, time, year] = ASCTIME_DATE.exec(text.replace(DATE, 'Any $2 $1 $4 $3')) ?? [];
  if (year === undefined) return null;
  const inThisCentury = 2_000 + Number(year);
  const fullYear = inThisCentury > thisYear + YEARS_AHEAD ? inThisCentury - 100 : inThisCentury;
  const number = String(MONTHS.indexOf(month!) + 1).padStart(2, '0');
  return readTime(`${year.length === 2 ? fullYear : year}-${number}-${day!.replace(' ', '0')}T${time}Z`);
}
