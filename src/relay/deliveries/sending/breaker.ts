import type { TargetPolicy } from '../../../contract/target-policy';
import type { Availability } from './attempt-outcome';

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
 * The state of a target's circuit breaker. While closed, it counts consecutive attempts at which the target was
 * unavailable. While open, it admits single probes at growing intervals. After a recovery it increases the
 * concurrency step by step.
 */
export interface BreakerState {
  /** Consecutive attempts, while closed, at which the target was unavailable. */
  failures: number;
  open: Opening | null;
  /** The concurrency during a recovery; null: what the policy allows. */
  ramp: number | null;
}

export const CLOSED: BreakerState = { failures: 0, open: null, ramp: null };

export interface ObservedAttempt {
  availability: Availability;
  /** When the attempt ended, in ms since 1970. */
  at: number;
  /** The same on the scale of `TimeBounds.latest`. */
  latest: number;
  /** Whether it was the probe of the open breaker. */
  isProbe: boolean;
  /** The wait that a `Retry-After` header asked for, in ms; 0 without one. */
  retryAfterMs: number;
  /** The outcome as a sentence. */
  reason: string;
}

/** The state after an attempt; the same object if nothing has changed. */
export function afterAttempt(
  state: BreakerState,
  { breaker, concurrency }: Pick<TargetPolicy, 'breaker' | 'concurrency'>,
  { availability, at, latest, isProbe, retryAfterMs, reason }: ObservedAttempt,
): BreakerState {
  if (breaker === null) return CLOSED;
  if (availability === 'unknown') return state;
  const { failures, open, ramp } = state;
  if (availability === 'available') {
    if (open !== null) return { failures: 0, open: null, ramp: 1 };
    if (ramp !== null) return { failures: 0, open: null, ramp: ramp + 1 >= concurrency ? null : ramp + 1 };
    return failures === 0 ? state : CLOSED;
  }
  const probeAt = (probes: number) =>
    latest + Math.max(Math.min(breaker.first_probe_s * 2 ** probes, breaker.cap_s) * SECOND, retryAfterMs);
  if (open !== null) {
    if (!isProbe) return state;
    const probes = open.probes + 1;
    return { ...state, open: { ...open, probes, probeAt: probeAt(probes) } };
  }
  if (failures + 1 < breaker.failures) return { ...state, failures: failures + 1 };
  const opening = { openedAt: at, reason, probes: 0, probeAt: probeAt(0) };
  return { failures: 0, open: opening, ramp: null };
}

/**
 * Whether a probe is due. If it lies further ahead than the policy permits, it was scheduled by a wrong clock and is
 * due at once.
 * @param now on the scale of `TimeBounds.latest`
 */
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
