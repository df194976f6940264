import type { TargetPolicy } from '../../../contract/target-policy';
import type { Verdict } from './classify-outcome';

const SECOND = 1_000;

/** The current opening of a circuit breaker. */
export interface Opening {
  /** Ms since 1970. */
  openedAt: number;
  /** The outcome that opened it, as a sentence. */
  reason: string;
  /** The number of failed probes. */
  probes: number;
  /** Nothing is sent before this time, on the scale of `TimeBounds.latest`. */
  probeAt: number;
}

/**
 * The state of a target's circuit breaker. Closed, it counts consecutive outages; open, it admits one probe at growing
 * intervals; after a recovery it raises the concurrency step by step.
 */
export interface BreakerState {
  failures: number;
  open: Opening | null;
  /** The concurrency while the target recovers; null: as much as its policy allows. */
  ramp: number | null;
}

export const CLOSED: BreakerState = { failures: 0, open: null, ramp: null };

export interface Observed {
  verdict: Verdict;
  /** When the attempt ended: by the wall clock, and for what comes due. */
  at: number;
  latest: number;
  /** Whether it was the probe of the open breaker. */
  probe: boolean;
  /** How long the target asked to wait, in ms. */
  askedMs: number;
  /** The outcome as a sentence. */
  sentence: string;
}

/** The state after an attempt; the same object if nothing has changed. */
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

/** Whether a probe is due. A delay longer than the target's policy permits was caused by a wrong clock and is ignored. */
export function isProbeDue(
  { probeAt }: Opening,
  { breaker, retry_after_cap_s: cap }: Pick<TargetPolicy, 'breaker' | 'retry_after_cap_s'>,
  now: number,
): boolean {
  return probeAt <= now || probeAt > now + Math.max(breaker?.cap_s ?? 0, cap) * SECOND;
}

/** How many requests may be in flight. */
export function allowedConcurrency(
  { ramp }: BreakerState,
  { concurrency }: Pick<TargetPolicy, 'concurrency'>,
): number {
  return ramp === null ? concurrency : Math.min(ramp, concurrency);
}
