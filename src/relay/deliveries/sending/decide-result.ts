import type { TargetPolicy } from '../../../contract/target-policy';
import type { DeliveryResult, OpenDelivery } from '../../database/journal';
import { statusAmong } from '../../targets/status-among';
import { describeOutcome } from '../describe-outcome';
import { classifyOutcome } from './classify-outcome';
import { readRetryAfter } from './read-retry-after';
import { retryDelayMs } from './retry-schedule';
import type { AttemptOutcome } from './send-attempt';

const GONE = 410;
const SECOND = 1_000;

export interface Decision {
  result: DeliveryResult;
  /** Why the target is to be disabled, as a sentence; null if it is not. */
  gone: string | null;
}

export interface AttemptContext {
  policy: TargetPolicy;
  /** Ms since 1970. */
  startedAt: number;
  /** When it ended, on the scale of due times. See {@link TimeBounds}. */
  endedLatest: number;
  /** Random, 0 to 1. */
  fraction: number;
  /** Whether the breaker was open when the attempt ended: an outage is then not counted as an attempt. */
  breakerOpen: boolean;
}

/**
 * Decides the delivery's result after an attempt: succeeded, retried later, or dead, with the reason as a sentence. A 410
 * response also disables the target, which ends all its queued deliveries.
 */
export function decideResult(
  due: OpenDelivery,
  outcome: AttemptOutcome,
  circumstances: AttemptContext,
): Decision {
  const { policy, startedAt, endedLatest } = circumstances;
  const { status, error, durationMs, excerpt } = outcome;
  const number = due.attempts + 1;
  const endedAt = startedAt + durationMs;
  const basis = {
    key: due.key,
    replayId: due.replayId,
    attempt: { number, at: startedAt, durationMs, status, error, excerpt },
    lane: due.lane,
    stopsLane: false,
    spared: due.spared,
    note: null,
    dueAt: null,
  };
  if (error === null) return { result: { ...basis, state: 'succeeded' }, gone: null };

  const stopsLane = due.lane !== null && policy.on_dead === 'stop';
  if (status === GONE) {
    const note = 'The target answered 410 Gone.';
    return { result: { ...basis, state: 'dead', note, ending: 'gone', stopsLane }, gone: note };
  }
  const askedMs = retryAfterMs(outcome, policy, endedAt);
  if (circumstances.breakerOpen && classifyOutcome(outcome) === 'outage') {
    const spared = { spared: due.spared + 1, dueAt: endedLatest + askedMs };
    return { result: { ...basis, ...spared, state: 'retrying' }, gone: null };
  }
  const next = nextAttempt(due, outcome, circumstances);
  if ('dueAt' in next) return { result: { ...basis, state: 'retrying', dueAt: next.dueAt }, gone: null };
  return { result: { ...basis, state: 'dead', note: next.dead, stopsLane }, gone: null };
}

/** How long a target asks to wait, capped by its policy; 0 if it does not ask. */
export function retryAfterMs(
  { retryAfter }: Pick<AttemptOutcome, 'retryAfter'>,
  policy: Pick<TargetPolicy, 'retry_after_cap_s'>,
  now: number,
): number {
  const asked = retryAfter === null ? null : readRetryAfter(retryAfter, now);
  return Math.min(asked ?? 0, policy.retry_after_cap_s * SECOND);
}

function nextAttempt(
  due: OpenDelivery,
  outcome: AttemptOutcome,
  { policy, startedAt, endedLatest, fraction }: AttemptContext,
): { dueAt: number } | { dead: string } {
  const { status, error } = outcome;
  const what = describeOutcome(outcome);
  const { network, statuses } = policy.retry_on;
  const again = error === 'http_status' ? statusAmong(statuses)(status!) : network;
  if (!again) return { dead: `${what}, which is not tried again at this target.` };

  const endedAt = startedAt + outcome.durationMs;
  const tries = due.attempts + 1 - due.spared;
  const delay = retryDelayMs(policy, tries, fraction);
  if (delay === null) return { dead: `${what} at the last of ${tries} ${tries === 1 ? 'try' : 'tries'}.` };
  const pauseMs = Math.max(delay, retryAfterMs(outcome, policy, endedAt));
  return { dueAt: endedLatest + pauseMs };
}
