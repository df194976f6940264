import type { TargetPolicy } from '../../contract/target-policy';

/** The pause after so many tries, in seconds, before chance has its part; undefined where there is no further try. */
export function retryPauseS({ retry }: Pick<TargetPolicy, 'retry'>, attempts: number): number | undefined {
  if ('delays_s' in retry) return retry.delays_s[attempts - 1];
  if (attempts >= retry.tries) return undefined;
  return Math.min(retry.first_s * retry.factor ** (attempts - 1), retry.cap_s);
}

/** How long all pauses take together, in seconds. */
export function retrySpanS(policy: Pick<TargetPolicy, 'retry'>): number {
  let span = 0;
  for (let tries = 1, pause; (pause = retryPauseS(policy, tries)) !== undefined; tries += 1) span += pause;
  return span;
}
