/**
 * The wait that a `Retry-After` header asks for, in ms: seconds or a date (RFC 9110, 10.2.3). Null if it is
 * invalid.
 * @param now ms since 1970
 */
export function readRetryAfter(text: string, now: number): number | null {
  const trimmed = text.trim();
  if (/^\d{1,10}$/.test(trimmed)) return Number(trimmed) * 1_000;
  // All three forms of an HTTP date begin with the name of the day; Date.parse accepts other forms too.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(trimmed)
    ? Date.parse(asUtc(trimmed))
    : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** The asctime form has no time zone and means UTC. */
const asUtc = (date: string) => (date.endsWith('GMT') ? date : `${date} GMT`);
