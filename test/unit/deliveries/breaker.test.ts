import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import * as fc from 'fast-check';
import {
  afterAttempt,
  allowedConcurrency,
  CLOSED,
  isProbeDue,
  type BreakerState,
} from '../../../src/relay/deliveries/sending/breaker';

const POLICY = { concurrency: 8, breaker: { failures: 3, first_probe_s: 5, cap_s: 60 } };
const outcome = (
  availability: 'available' | 'unavailable' | 'unknown',
  { at = 0, ...parts }: { at?: number; isProbe?: boolean; retryAfterMs?: number } = {},
) => ({
  availability,
  at,
  latest: at,
  isProbe: false,
  retryAfterMs: 0,
  reason: 'HTTP 503.',
  ...parts,
});
const after = (state: BreakerState, ...observed: ReturnType<typeof outcome>[]) =>
  observed.reduce((one, next) => afterAttempt(one, POLICY, next), state);
const HOUR_MS = 3_600_000;
const failures = (count: number) => Array.from({ length: count }, () => outcome('unavailable'));

describe('the circuit breaker of a target', () => {
  it('opens after the configured number of consecutive attempts at an unavailable target, with the last one as the reason', () => {
    expect(after(CLOSED, ...failures(2)).open).toBeNull();
    expect(after(CLOSED, ...failures(2), outcome('unavailable', { at: 7_000 })).open).toEqual({
      openedAt: 7_000,
      reason: 'HTTP 503.',
      probes: 0,
      probeAt: 12_000,
    });
  });

  it('stays closed while responses come in between, whatever their status', () => {
    let state = CLOSED;
    for (let i = 0; i < 50; i += 1) {
      state = after(state, ...failures(2));
      expect(state.open).toBeNull();
      state = after(state, outcome('available'));
    }
  });

  it('ignores attempts whose address Switchboard itself denies', () => {
    expect(after(CLOSED, ...failures(2), outcome('unknown'), outcome('unknown')).open).toBeNull();
    expect(after(CLOSED, ...failures(2), outcome('unknown'), outcome('unavailable')).open).not.toBeNull();
  });

  it('never opens if the policy disables it', () => {
    const withoutBreaker = { ...POLICY, breaker: null };
    expect(failures(100).reduce((one, next) => afterAttempt(one, withoutBreaker, next), CLOSED)).toBe(CLOSED);
  });

  it('closes with the next attempt once the policy disables it, also if that was not noticed', () => {
    const withoutBreaker = { ...POLICY, breaker: null };
    const open = after(CLOSED, ...failures(3));
    const recovering = after(open, outcome('available', { isProbe: true }));
    for (const state of [open, recovering])
      expect(afterAttempt(state, withoutBreaker, outcome('unavailable', { isProbe: true }))).toBe(CLOSED);
  });

  it('probes at growing intervals up to the cap, or at the time in Retry-After', () => {
    let state = after(CLOSED, ...failures(3));
    const intervals: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const at = state.open!.probeAt;
      state = after(state, outcome('unavailable', { at, isProbe: true }));
      intervals.push(state.open!.probeAt - at);
    }
    expect(intervals).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    expect(state.open!.probes).toBe(6);
    const asked = after(state, outcome('unavailable', { at: 0, isProbe: true, retryAfterMs: 600_000 }));
    expect(asked.open!.probeAt).toBe(600_000);
  });

  it('does not delay its probe because of attempts that were in flight when it opened', () => {
    const open = after(CLOSED, ...failures(3));
    expect(after(open, outcome('unavailable', { at: 4_000 }))).toBe(open);
  });

  it('closes on any response, and allows one, two, three, up to all concurrent attempts', () => {
    let state = after(CLOSED, ...failures(3), outcome('available', { isProbe: true }));
    const allowed: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      allowed.push(allowedConcurrency(state, POLICY));
      state = after(state, outcome('available'));
    }
    expect(allowed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8]);
    expect(state).toEqual(CLOSED);
  });

  it('opens again during its recovery, after the same number of them', () => {
    const recovering = after(
      CLOSED,
      ...failures(3),
      outcome('available', { isProbe: true }),
      outcome('available'),
    );
    expect(after(recovering, ...failures(2))).toMatchObject({ open: null, ramp: 2 });
    expect(after(recovering, ...failures(3))).toMatchObject({ open: { probes: 0 }, ramp: null });
    expect(after(recovering, ...failures(2), outcome('available'), ...failures(2)).open).toBeNull();
  });

  it('allows a probe when it is due, or at once if it is due later than the policy permits', () => {
    const policy = { ...POLICY, retry_after_cap_s: 3_600 };
    const due = (probeAt: number) =>
      isProbeDue({ openedAt: 0, reason: '', probes: 0, probeAt }, policy, 1_000_000);
    expect([due(1_000_000), due(1_000_001), due(1_000_000 + HOUR_MS)]).toEqual([true, false, false]);
    expect(due(1_000_001 + HOUR_MS)).toBe(true);
  });

  it('always allows at least one attempt, and at most the concurrency of the policy', () => {
    const observations = fc.array(
      fc.constantFrom('available' as const, 'unavailable' as const, 'unknown' as const),
    );
    fc.assert(
      fc.property(observations, fc.integer({ min: 1, max: 64 }), (all, concurrency) => {
        const policy = { ...DEFAULT_POLICY, concurrency };
        let state = CLOSED;
        for (const availability of all) {
          state = afterAttempt(state, policy, outcome(availability, { isProbe: state.open !== null }));
          const slots = allowedConcurrency(state, policy);
          expect(slots).toBeGreaterThanOrEqual(1);
          expect(slots).toBeLessThanOrEqual(concurrency);
        }
      }),
    );
  });
});
