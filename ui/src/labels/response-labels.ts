import type { TargetsTraffic } from '@contract/stats';
import type { Target } from '@contract/target';
import { formatRelative } from '../format/relative';
import { outcomeLabel } from './delivery-labels';
import { BLOCKED, describeFailures, reasonOf } from './target-labels';

type Traffic = Pick<TargetsTraffic['data'][number], 'last_failure' | 'last_success_at'>;

/** A time that is not after now, whatever the clocks say. */
const agoOf = (at: string, now: number) => formatRelative(at, Math.max(now, Date.parse(at)));

/** Why a target would at present refuse or delay what is sent to it, and since when, in sentences about it; null if nothing is known against it. */
export function describeTrouble(target: Target, now: number): string | null {
  const { enabled, paused, breaker, health } = target;
  if (!enabled || paused !== null || breaker !== null) return describeResponses(target, undefined, now);
  const { states, last_failure: failure, last_delivered_at: deliveredAt } = health;
  const blocked = states.includes('blocked') ? [BLOCKED] : [];
  if (!states.includes('failing')) return blocked[0] ?? null;
  const since =
    deliveredAt === null ? 'none succeeded before' : `the last success was ${agoOf(deliveredAt, now)}`;
  const last =
    failure === null
      ? ''
      : ` Last failure: ${reasonOf({ reason: failure.sentence })}, ${agoOf(failure.at, now)}.`;
  return [...blocked, `${describeFailures(health)}; ${since}.${last}`].join(' ');
}

/** Whether retries to a target can be expected to succeed at present, in one sentence about it. */
export function describeResponses(
  { enabled, disabled, paused, breaker }: Pick<Target, 'enabled' | 'disabled' | 'paused' | 'breaker'>,
  traffic: Traffic | undefined,
  now: number,
): string {
  if (disabled !== null || !enabled) return 'It is disabled; enable it first.';
  if (paused !== null) return 'It is paused; the deliveries are queued until it is resumed.';
  if (breaker !== null)
    return `It went down ${agoOf(breaker.opened_at, now)} (${reasonOf(breaker)}); the deliveries are queued until a probe succeeds.`;
  if (traffic === undefined) return '';
  const { last_failure: failure, last_success_at: successAt } = traffic;
  if (failure !== null && (successAt === null || successAt < failure.at)) {
    const outcome = outcomeLabel(failure.status, failure.error);
    return `${failure.status === null ? 'Last attempt' : 'Last response'}: ${outcome}, ${agoOf(failure.at, now)}.`;
  }
  if (successAt === null) return 'Nothing was sent to it since Switchboard started.';
  return `It responded successfully ${agoOf(successAt, now)}.`;
}
