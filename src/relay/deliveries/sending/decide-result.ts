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
  /** The target wants no more: why it is to be disabled, as a sentence; else null. */
  gone: string | null;
}

export interface AttemptContext {
  policy: TargetPolicy;
  /** Ms since 1970. */
  startedAt: number;
  /** When it ended: for what comes due. See {@link TimeBounds}. */
  endedLatest: number;
  /** Random, 0 to 1. */
  fraction: number;
  /** The breaker was open when the attempt ended: an outage costs no try. */
  breakerOpen: boolean;
}

/**
 * What an attempt makes of its delivery: done, due again later, or dead, with the reason as a sentence. One that is answered
 * 410 ends with all others that are open at its target: the target is to be disabled.
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

/** For how long a target asks to be left alone, within what the policy grants it; 0 where it does not. */
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
