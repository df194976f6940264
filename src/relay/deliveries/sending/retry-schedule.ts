import type { TargetPolicy } from '../../../contract/target-policy';
import { retryPauseS } from '../../targets/retry-pause';

const SECOND = 1_000;

/**
 * How long to wait before the next attempt, in ms, or null when there is none left. Part of it is left to chance, so that
 * what failed together does not come back together.
 * @param attempts made so far, the failed one included
 * @param fraction random, 0 to 1
 */
export function retryDelayMs(
  policy: Pick<TargetPolicy, 'retry' | 'jitter'>,
  attempts: number,
  fraction: number,
): number | null {
  const pause = retryPauseS(policy, attempts);
  if (pause === undefined) return null;
  return Math.round(pause * SECOND * (1 + policy.jitter * (2 * fraction - 1)));
}

/**
 * The longest pause that a target's policy permits between two attempts, in ms. What is due further off was put off by
 * a clock that was wrong, or by a policy that holds no longer.
 */
export function longestPauseMs(policy: Pick<TargetPolicy, 'retry' | 'jitter' | 'retry_after_cap_s'>): number {
  const { retry, jitter, retry_after_cap_s: cap } = policy;
  const pauses = 'delays_s' in retry ? retry.delays_s : [retryPauseS(policy, retry.tries - 1) ?? 0];
  return Math.ceil(Math.max(cap, ...pauses.map((pause) => pause * (1 + jitter))) * SECOND);
}
