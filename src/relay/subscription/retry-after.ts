/** Nobody means more than a day. */
const LONGEST_MS = 86_400_000;

/** A `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in ms from now; null where there is none that can be read. */
export function readRetryAfter(header: unknown, now: number): number | null {
  if (typeof header !== 'string' || header === '') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}
