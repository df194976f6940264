import type { TargetPolicy } from '../../../contract/target-policy';
import type { DeliveryResult, QueuedDelivery } from '../../database/journal/journal';
import { statusMatcher } from '../../targets/status-matcher';
import { classifyOutcome, describeOutcome, type AttemptOutcome } from './attempt-outcome';
import { readRetryAfter } from '../../network/read-retry-after';
import { failurePlace } from '../../transforms/failure-text';
import { retryDelayMs } from './retry-schedule';

const GONE = 410;
const SECOND = 1_000;

export interface Decision {
  result: DeliveryResult;
  /** Why the target must be disabled, as a sentence; null if it must not. */
  disableReason: string | null;
}

export interface AttemptContext {
  policy: TargetPolicy;
  /** Ms since 1970. */
  startedAt: number;
  /** When it ended, on the scale of due times. See {@link TimeBounds}. */
  endedLatest: number;
  /** A random number from 0 to 1, for the jitter. */
  fraction: number;
  /** Whether the breaker was open when the attempt ended. If the target was unavailable, it is then uncounted. */
  breakerOpen: boolean;
}

/**
 * Decides the delivery's result after an attempt: succeeded, retried later, or dead, with the reason as a sentence. A
 * 410 response also disables the target, which ends all its queued deliveries.
 */
export function decideResult(
  due: QueuedDelivery,
  outcome: AttemptOutcome,
  context: AttemptContext,
): Decision {
  const { policy, startedAt, endedLatest } = context;
  const { status, error, durationMs, excerpt, transform = null, previous = null, failure } = outcome;
  const number = due.attempts + 1;
  const endedAt = startedAt + durationMs;
  const common = {
    key: due.key,
    replayId: due.replayId,
    attempt: { number, at: startedAt, durationMs, status, error, excerpt, transform, previous },
    lane: due.lane,
    blocksLane: false,
    uncounted: due.uncounted,
    note: null,
    dueAt: null,
    state: 'succeeded' as const,
  };
  if (error === null) return { result: common, disableReason: null };

  const blocksLane = due.lane !== null && policy.on_dead === 'stop';
  if (status === GONE) {
    const note = 'HTTP 410 Gone.';
    return { result: { ...common, state: 'dead', note, ending: 'gone', blocksLane }, disableReason: note };
  }
  if (failure !== undefined) {
    // The same would fail again.
    const note = `${describeOutcome(outcome)}: ${failurePlace(failure)}.`;
    return { result: { ...common, state: 'dead', note, blocksLane }, disableReason: null };
  }
  const waitMs = retryAfterMs(outcome, policy, endedAt);
  if (context.breakerOpen && classifyOutcome(outcome) === 'unavailable') {
    const uncounted = { uncounted: due.uncounted + 1, dueAt: endedLatest + waitMs };
    return { result: { ...common, ...uncounted, state: 'retrying' }, disableReason: null };
  }
  if (isSentAgain(due, outcome)) {
    const uncounted = { uncounted: 1, dueAt: endedLatest - durationMs };
    return { result: { ...common, ...uncounted, state: 'retrying' }, disableReason: null };
  }
  const next = nextAttempt(due, outcome, context);
  if ('dueAt' in next)
    return { result: { ...common, state: 'retrying', dueAt: next.dueAt }, disableReason: null };
  return { result: { ...common, state: 'dead', note: next.dead, blocksLane }, disableReason: null };
}

/**
 * Whether the delivery is sent again at once, and the failure does not count: the target closed a connection that it
 * had used before. Most likely it has not read the event; if it has, it knows it by its id.
 */
export const isSentAgain = (
  { uncounted }: Pick<QueuedDelivery, 'uncounted'>,
  { wasStale }: Pick<AttemptOutcome, 'wasStale'>,
): boolean => wasStale === true && uncounted === 0;

/**
 * The wait that the response asks for with `Retry-After`, in ms, limited by the policy; 0 without that header.
 * @param now ms since 1970
 */
export function retryAfterMs(
  { retryAfter }: Pick<AttemptOutcome, 'retryAfter'>,
  policy: Pick<TargetPolicy, 'retry_after_cap_s'>,
  now: number,
): number {
  const requestedMs = retryAfter === null ? null : readRetryAfter(retryAfter, now);
  return Math.min(requestedMs ?? 0, policy.retry_after_cap_s * SECOND);
}

function nextAttempt(
  due: QueuedDelivery,
  outcome: AttemptOutcome,
  { policy, startedAt, endedLatest, fraction }: AttemptContext,
): { dueAt: number } | { dead: string } {
  const { status, error } = outcome;
  const failure = describeOutcome(outcome);
  const { network, statuses } = policy.retry_on;
  const isRetried = error === 'http_status' ? statusMatcher(statuses)(status!) : network;
  if (!isRetried) return { dead: `${failure}, which is not retried for this target.` };

  const endedAt = startedAt + outcome.durationMs;
  const attempts = due.attempts + 1 - due.uncounted;
  const delayMs = retryDelayMs(policy, attempts, fraction);
  if (delayMs === null) return { dead: `${failure} after ${attempts} attempt${attempts === 1 ? '' : 's'}.` };
  const pauseMs = Math.max(delayMs, retryAfterMs(outcome, policy, endedAt));
  return { dueAt: endedLatest + pauseMs };
}
