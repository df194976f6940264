const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long to wait after each failed attempt: eight attempts over about half a day. */
const DELAYS_MS = [
  5 * SECOND,
  30 * SECOND,
  3 * MINUTE,
  15 * MINUTE,
  45 * MINUTE,
  2.5 * HOUR,
  8 * HOUR,
] as const;

/** A fifth either way, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * How long to wait before the next attempt, in ms, or null when there is none left.
 * @param attempts made so far, the failed one included
 * @param fraction random, 0 to 1
 */
export function retryDelayMs(attempts: number, fraction: number): number | null {
  const delay = DELAYS_MS[attempts - 1];
  return delay === undefined ? null : Math.round(delay * (1 + JITTER * (2 * fraction - 1)));
}
