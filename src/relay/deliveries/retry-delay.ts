import type { TargetPolicy } from '../../contract/target-policy';

const SECOND = 1_000;

/**
 * How long to wait before the next attempt, in ms, or null when there is none left. Part of it is left to chance, so that
 * what failed together does not come back together.
 * @param tries made so far, the failed one included
 * @param fraction random, 0 to 1
 */
export function retryDelayMs(
  { retry, jitter }: Pick<TargetPolicy, 'retry' | 'jitter'>,
  tries: number,
  fraction: number,
): number | null {
  const delay = 'delays_s' in retry ? retry.delays_s[tries - 1] : growingDelay(retry, tries);
  if (delay === undefined) return null;
  return Math.round(delay * SECOND * (1 + jitter * (2 * fraction - 1)));
}

/**
 * The longest pause that a target's policy permits between two attempts, in ms. What is due further off was put off by
 * a clock that was wrong, or by a policy that holds no longer.
 */
export function longestPauseMs({
  retry,
  jitter,
  retry_after_cap_s: cap,
}: Pick<TargetPolicy, 'retry' | 'jitter' | 'retry_after_cap_s'>): number {
  const delays = 'delays_s' in retry ? retry.delays_s : [growingDelay(retry, retry.tries - 1) ?? 0];
  return Math.ceil(Math.max(cap, ...delays.map((delay) => delay * (1 + jitter))) * SECOND);
}

/** `tries` counts the first attempt too. */
function growingDelay(
  retry: Extract<TargetPolicy['retry'], { tries: number }>,
  tries: number,
): number | undefined {
  if (tries >= retry.tries) return undefined;
  return Math.min(retry.first_s * retry.factor ** (tries - 1), retry.cap_s);
}
