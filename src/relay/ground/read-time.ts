const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;
const MAX_YEAR = 9_999;

/**
 * The time that a text of ISO 8601 in the extended format means, in ms since 1970: a date, or a date and a time of
 * day after `T` or a space, with any fraction of a second. It is UTC unless it has an offset, whatever the time zone
 * of this machine. 24:00:00 is the midnight that follows, and a leap second (60) the second that follows. Null for
 * any other text, for a date that does not exist, and for years before 1 or after 9999.
 */
export function readTime(text: string): number | null {
  const found = TIME.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign] = found;
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const ms = Number(`${fraction}000`.slice(0, 3));
  const [offsetHours, offsetMinutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (h > 24 || m > 59 || s > 60 || offsetHours > 23 || offsetMinutes > 59) return null;
  if (h === 24 && m + s + ms > 0) return null;
  const time = new Date(0);
  time.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (time.getUTCMonth() !== Number(month) - 1 || time.getUTCDate() !== Number(day)) return null;
  const offset = (offsetHours * 60 + offsetMinutes) * (sign === '-' ? -1 : 1);
  time.setTime(time.getTime() + ((h * 60 + m - offset) * 60 + s) * 1_000 + ms);
  const isKept = time.getUTCFullYear() > 0 && time.getUTCFullYear() <= MAX_YEAR;
  return isKept ? time.getTime() : null;
}
