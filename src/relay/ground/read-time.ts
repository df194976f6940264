const FORM = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;
const MAX_YEAR = 9_999;
const ZERO = '0'.charCodeAt(0);

/**
 * The time that a text of ISO 8601 in the extended format means, in ms since 1970: a date, or a date and a time of
 * day after `T` or a space, with any fraction of a second. It is UTC unless it has an offset, whatever the time zone
 * of this machine. 24:00:00 is the midnight that follows, and a leap second (60) the second that follows. Null for
 * any other text, for a date that does not exist, and for years before 1 or after 9999.
 */
export function readTime(text: string): number | null {
  // Reads digits where the form has them: groups of the expression take twice as long, and each notification has two times.
  if (!FORM.test(text)) return null;
  const [h, m, s] = [digits(text, 11, 2), digits(text, 14, 2), text[16] === ':' ? digits(text, 17, 2) : 0];
  const ms = text[19] === '.' || text[19] === ',' ? digits(text, 20, 3) : 0;
  if (h > 24 || m > 59 || s > 60 || (h === 24 && m + s + ms > 0)) return null;
  const offset = offsetMinutes(text);
  const [month, day] = [digits(text, 5, 2) - 1, digits(text, 8, 2)];
  const time = new Date(0);
  time.setUTCFullYear(digits(text, 0, 4), month, day);
  if (offset === null || time.getUTCMonth() !== month || time.getUTCDate() !== day) return null;
  time.setTime(time.getTime() + ((h * 60 + m - offset) * 60 + s) * 1_000 + ms);
  const isKept = time.getUTCFullYear() > 0 && time.getUTCFullYear() <= MAX_YEAR;
  return isKept ? time.getTime() : null;
}

/** Null if there is no such offset; 0 without one. */
function offsetMinutes(text: string): number | null {
  const at = Math.max(text.indexOf('+', 16), text.indexOf('-', 16));
  if (at < 0) return 0;
  const hours = digits(text, at + 1, 2);
  const minutes = text.length > at + 3 ? digits(text, text.length - 2, 2) : 0;
  if (hours > 23 || minutes > 59) return null;
  return (hours * 60 + minutes) * (text[at] === '-' ? -1 : 1);
}

/** The number of this many digits; a 0 for each that is missing. */
function digits(text: string, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    number = number * 10 + (digit >= 0 && digit <= 9 ? digit : 0);
  }
  return number;
}
