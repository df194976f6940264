import type { DeliveryResult, DueDelivery } from '../database/journal';
import type { AttemptOutcome } from './send-attempt';
import { retryDelayMs } from './retry-schedule';

const GONE = 410;

export interface Decision {
  result: DeliveryResult;
  /** Why the target is to be paused, or null. */
  pause: string | null;
}

/**
 * What an attempt makes of its delivery: done, due again later, or dead after the last try. A target that answers 410
 * wants no more of it: the target is paused, and the delivery waits there with the others.
 * @param startedAt ms since 1970
 * @param fraction random, 0 to 1
 */
export function decideResult(
  due: DueDelivery,
  outcome: AttemptOutcome,
  startedAt: number,
  fraction: number,
): Decision {
  const number = due.attempts + 1;
  const endedAt = startedAt + outcome.durationMs;
  const { status, error, durationMs, excerpt } = outcome;
  const attempt = { number, at: startedAt, durationMs, status, error, excerpt };
  const result = (state: DeliveryResult['state'], dueAt: number | null): DeliveryResult => ({
    key: due.key,
    attempt,
    state,
    dueAt,
  });

  if (error === null) return { result: result('succeeded', null), pause: null };
  if (status === GONE) return { result: result('retrying', endedAt), pause: 'The target answered 410 Gone.' };
  const delay = retryDelayMs(number, fraction);
  if (delay === null) return { result: result('dead', null), pause: null };
  return { result: result('retrying', endedAt + delay), pause: null };
}
