import type { DeliveryResult, QueuedDelivery } from '../../database/journal/journal';
import type { Log } from '../../ground/log';
import type { TargetRecord } from '../../targets/target-record';
import { classifyOutcome, describeOutcome } from './attempt-outcome';
import type { BreakerStore } from './breaker.store';
import type { FailingTransforms } from './failing-transforms';
import { decideResult, isSentAgain, retryAfterMs } from './decide-result';
import { attemptLogFields, tracedAttempt, type AttemptTools, type CompletedAttempt } from './make-attempt';

export interface OutcomeTools extends Pick<AttemptTools, 'journal' | 'random' | 'tracer'> {
  breakers: BreakerStore;
  log: Log;
  /** Called after a 410 response; the target is disabled when this returns. */
  disable: (target: TargetRecord, reason: string) => void;
  failingTransforms: FailingTransforms;
}

/**
 * Decides the result of a delivery whose attempt is complete, updates the circuit breaker of its target, and disables
 * the target after a 410 response.
 * @returns null if the delivery stays as it is, because its target is paused
 */
export function recordOutcome(
  due: QueuedDelivery,
  completed: CompletedAttempt,
  target: TargetRecord,
  { journal, random, tracer, log, breakers, disable, failingTransforms }: OutcomeTools,
  { isProbe }: { isProbe: boolean },
): DeliveryResult | null {
  const { startedAt, endedLatest, outcome } = completed;
  if (!failingTransforms.counts(due.key.seq, target, outcome)) return null;
  const { policy } = target;
  const { result, disableReason } = decideResult(due, outcome, {
    policy,
    startedAt,
    endedLatest,
    fraction: random.fraction(),
    breakerOpen: breakers.of(target.number).open !== null,
  });
  const level = result.state === 'succeeded' ? 'debug' : 'info';
  if (log.isLevelEnabled(level))
    log[level](attemptLogFields(due, completed, target, result, journal.instanceId), 'attempt');
  if (tracer.isOn) tracer.recordAttempt(tracedAttempt(due, completed, target, result, journal.instanceId));
  if (disableReason !== null && target.disabled === null) disable(target, disableReason);
  const at = startedAt + outcome.durationMs;
  breakers.observe(target, {
    availability: isSentAgain(due, outcome) ? 'unknown' : classifyOutcome(outcome),
    at,
    latest: endedLatest,
    isProbe,
    retryAfterMs: retryAfterMs(outcome, policy, at),
    reason: `${describeOutcome(outcome)}.`,
  });
  return result;
}
