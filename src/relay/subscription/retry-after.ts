/** Longer values are capped to a day. */
const MAX_MS = 86_400_000;

/**
 * A `Retry-After` (RFC 9110, 10.2.3), in seconds or as a date, as ms from now; null if missing or invalid.
 */
export function readRetryAfter(header: unknown, now: number): number | null {
  if (typeof header !== 'string' || header === '') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_MS);
}
