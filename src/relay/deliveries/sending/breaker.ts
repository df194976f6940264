import type { TargetPolicy } from '../../../contract/target-policy';
import type { Verdict } from './classify-outcome';

const SECOND = 1_000;

/** An opening of the breaker that lasts. */
export interface Opening {
  /** Ms since 1970. */
  openedAt: number;
  /** The outcome that opened it, as a sentence. */
  reason: string;
  /** Probes that failed. */
  probes: number;
  /** Before this nothing is sent; on the scale of `TimeBounds.latest`. */
  probeAt: number;
}

/**
 * How a target's breaker stands. Closed, it counts outages in a row; open, it lets one probe through at growing distances;
 * after a recovery it lets more and more through, until all may go.
 */
export interface BreakerState {
  failures: number;
  open: Opening | null;
  /** How many may be under way while the target recovers; null: as many as its policy allows. */
  ramp: number | null;
}

export const CLOSED: BreakerState = { failures: 0, open: null, ramp: null };

export interface Observed {
  verdict: Verdict;
  /** When the attempt ended: by the wall clock, and for what comes due. */
  at: number;
  latest: number;
  /** It was the probe of the open breaker. */
  probe: boolean;
  /** For how long the target asked to be left alone, in ms. */
  askedMs: number;
  /** The outcome as a sentence. */
  sentence: string;
}

/** How the breaker stands after an attempt. The same object where nothing has changed. */
export function afterAttempt(
  state: BreakerState,
  { breaker, concurrency }: Pick<TargetPolicy, 'breaker' | 'concurrency'>,
  { verdict, at, latest, probe, askedMs, sentence }: Observed,
): BreakerState {
  if (breaker === null || verdict === 'unknown') return state;
  const { failures, open, ramp } = state;
  if (verdict === 'alive') {
    if (open !== null) return { failures: 0, open: null, ramp: 1 };
    if (ramp !== null) return { failures: 0, open: null, ramp: ramp + 1 >= concurrency ? null : ramp + 1 };
    return failures === 0 ? state : CLOSED;
  }
  const probeAt = (probes: number) =>
    latest + Math.max(Math.min(breaker.first_probe_s * 2 ** probes, breaker.cap_s) * SECOND, askedMs);
  if (open !== null) {
    if (!probe) return state;
    const probes = open.probes + 1;
    return { ...state, open: { ...open, probes, probeAt: probeAt(probes) } };
  }
  if (failures + 1 < breaker.failures) return { ...state, failures: failures + 1 };
  const opening = { openedAt: at, reason: sentence, probes: 0, probeAt: probeAt(0) };
  return { failures: 0, open: opening, ramp: null };
}

/** Whether a probe may go. One that is put off for longer than its target's policy permits was so by a clock that was wrong. */
export function isProbeDue(
  { probeAt }: Opening,
  { breaker, retry_after_cap_s: cap }: Pick<TargetPolicy, 'breaker' | 'retry_after_cap_s'>,
  now: number,
): boolean {
  return probeAt <= now || probeAt > now + Math.max(breaker?.cap_s ?? 0, cap) * SECOND;
}

/** How many requests may be under way. */
export function allowedConcurrency(
  { ramp }: BreakerState,
  { concurrency }: Pick<TargetPolicy, 'concurrency'>,
): number {
  return ramp === null ? concurrency : Math.min(ramp, concurrency);
}
