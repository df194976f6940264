import type { TargetPolicy } from '../../contract/target-policy';

/** The delay after this many attempts, in seconds, without jitter; undefined if none are left. */
export function retryDelayS({ retry }: Pick<TargetPolicy, 'retry'>, attempts: number): number | undefined {
  if ('delays_s' in retry) return retry.delays_s[attempts - 1];
  if (attempts >= retry.attempts) return undefined;
  return Math.min(retry.first_s * retry.factor ** (attempts - 1), retry.cap_s);
}

/** How many attempts are made at most. */
export const maxAttempts = ({ retry }: Pick<TargetPolicy, 'retry'>): number =>
  'delays_s' in retry ? retry.delays_s.length + 1 : retry.attempts;

/** The sum of all delays, in seconds, without jitter. */
export function totalRetryDelayS(policy: Pick<TargetPolicy, 'retry'>): number {
  let total = 0;
  for (let attempts = 1, delay; (delay = retryDelayS(policy, attempts)) !== undefined; attempts += 1)
    total += delay;
  return total;
}
