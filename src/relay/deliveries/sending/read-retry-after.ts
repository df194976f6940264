/**
 * How long a `Retry-After` asks to wait, in ms; null where it says nothing readable (RFC 9110, 10.2.3: seconds or a date).
 * @param now ms since 1970
 */
export function readRetryAfter(text: string, now: number): number | null {
  const trimmed = text.trim();
  if (/^\d{1,10}$/.test(trimmed)) return Number(trimmed) * 1_000;
  // All three forms of an HTTP date begin with the day's name; Date.parse takes much else besides.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(trimmed)
    ? Date.parse(asUtc(trimmed))
    : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** The asctime form names no zone and means UTC all the same. */
const asUtc = (date: string) => (date.endsWith('GMT') ? date : `${date} GMT`);
