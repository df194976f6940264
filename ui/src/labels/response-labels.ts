import type { TargetsTraffic } from '@contract/stats';
import type { Target } from '@contract/target';
import { formatRelative } from '../format/relative';
import { outcomeLabel } from './delivery-labels';
import { reasonOf } from './target-labels';

type Traffic = Pick<TargetsTraffic['data'][number], 'last_failure' | 'last_success_at'>;

/** Whether retries to a target can be expected to succeed at present, in one sentence about it. */
export function describeResponses(
  { enabled, disabled, paused, breaker }: Pick<Target, 'enabled' | 'disabled' | 'paused' | 'breaker'>,
  traffic: Traffic | undefined,
  now: number,
): string {
  if (disabled !== null || !enabled) return 'It is disabled; enable it first.';
  if (paused !== null) return 'It is paused; the deliveries are queued until it is resumed.';
  if (breaker !== null)
    return `It is down (${reasonOf(breaker)}); the deliveries are queued until a probe succeeds.`;
  if (traffic === undefined) return '';
  const { last_failure: failure, last_success_at: successAt } = traffic;
  const ago = (at: string) => formatRelative(at, Math.max(now, Date.parse(at)));
  if (failure !== null && (successAt === null || successAt < failure.at)) {
    const outcome = outcomeLabel(failure.status, failure.error);
    return `${failure.status === null ? 'Last attempt' : 'Last response'}: ${outcome}, ${ago(failure.at)}.`;
  }
  if (successAt === null) return 'Nothing was sent to it since Switchboard started.';
  return `It responded successfully ${ago(successAt)}.`;
}
