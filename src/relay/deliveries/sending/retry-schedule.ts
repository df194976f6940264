import type { TargetPolicy } from '../../../contract/target-policy';
import { retryDelayS } from '../../targets/retry-delay';

const SECOND = 1_000;

/**
 * How long to wait before the next attempt, in ms; null if no attempts are left. Jitter spreads the retries of
 * deliveries that failed at the same time.
 * @param attempts the number of attempts made so far
 * @param fraction a random number from 0 to 1, for the jitter
 */
export function retryDelayMs(
  policy: Pick<TargetPolicy, 'retry' | 'jitter'>,
  attempts: number,
  fraction: number,
): number | null {
  const delayS = retryDelayS(policy, attempts);
  if (delayS === undefined) return null;
  return Math.round(delayS * SECOND * (1 + policy.jitter * (2 * fraction - 1)));
}

/**
 * The longest pause that a target's policy permits between two attempts, in ms. A delivery that is due further ahead
 * was scheduled by a wrong clock or under a previous policy.
 */
export function longestPauseMs(policy: Pick<TargetPolicy, 'retry' | 'jitter' | 'retry_after_cap_s'>): number {
  const { retry, jitter, retry_after_cap_s: cap } = policy;
  const delaysS = 'delays_s' in retry ? retry.delays_s : [retryDelayS(policy, retry.attempts - 1) ?? 0];
  return Math.ceil(Math.max(cap, ...delaysS.map((delayS) => delayS * (1 + jitter))) * SECOND);
}
