import * as fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../src/contract/target-policy';
import {
  afterAttempt,
  allowedConcurrency,
  CLOSED,
  isProbeDue,
  type BreakerState,
} from '../../../src/relay/deliveries/sending/breaker';
import { classifyOutcome } from '../../../src/relay/deliveries/sending/classify-outcome';

const POLICY = { concurrency: 8, breaker: { failures: 3, first_probe_s: 5, cap_s: 60 } };
const seen = (
  verdict: 'alive' | 'outage' | 'unknown',
  { at = 0, ...parts }: { at?: number; probe?: boolean; askedMs?: number } = {},
) => ({
  verdict,
  at,
  latest: at,
  probe: false,
  askedMs: 0,
  sentence: 'The target answered 503.',
  ...parts,
});
const after = (state: BreakerState, ...observed: ReturnType<typeof seen>[]) =>
  observed.reduce((one, next) => afterAttempt(one, POLICY, next), state);
const HOUR_MS = 3_600_000;
const outages = (count: number) => Array.from({ length: count }, () => seen('outage'));

describe('the breaker of a target', () => {
  it('opens after so many outages in a row, and says which one opened it', () => {
    expect(after(CLOSED, ...outages(2)).open).toBeNull();
    expect(after(CLOSED, ...outages(2), seen('outage', { at: 7_000 })).open).toEqual({
      openedAt: 7_000,
      reason: 'The target answered 503.',
      probes: 0,
      probeAt: 12_000,
    });
  });

  it('stays closed while answers come in between, whatever they say', () => {
    let state = CLOSED;
    for (let i = 0; i < 50; i += 1) {
      state = after(state, ...outages(2));
      expect(state.open).toBeNull();
      state = after(state, seen('alive'));
    }
  });

  it('takes no notice of what we ourselves refuse', () => {
    expect(after(CLOSED, ...outages(2), seen('unknown'), seen('unknown')).open).toBeNull();
    expect(after(CLOSED, ...outages(2), seen('unknown'), seen('outage')).open).not.toBeNull();
  });

  it('is not there where the policy has none', () => {
    const none = { ...POLICY, breaker: null };
    expect(outages(100).reduce((one, next) => afterAttempt(one, none, next), CLOSED)).toBe(CLOSED);
  });

  it('probes at growing distances up to the cap, or as late as the target asked for', () => {
    let state = after(CLOSED, ...outages(3));
    const distances: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const at = state.open!.probeAt;
      state = after(state, seen('outage', { at, probe: true }));
      distances.push(state.open!.probeAt - at);
    }
    expect(distances).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    expect(state.open!.probes).toBe(6);
    const asked = after(state, seen('outage', { at: 0, probe: true, askedMs: 600_000 }));
    expect(asked.open!.probeAt).toBe(600_000);
  });

  it('is not put off by what was on its way when it opened', () => {
    const open = after(CLOSED, ...outages(3));
    expect(after(open, seen('outage', { at: 4_000 }))).toBe(open);
  });

  it('closes on any answer of the target, and lets through one, two, three, until all may go', () => {
    let state = after(CLOSED, ...outages(3), seen('alive', { probe: true }));
    const allowed: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      allowed.push(allowedConcurrency(state, POLICY));
      state = after(state, seen('alive'));
    }
    expect(allowed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8]);
    expect(state).toEqual(CLOSED);
  });

  it('opens again while it recovers, after as many outages as before', () => {
    const recovering = after(CLOSED, ...outages(3), seen('alive', { probe: true }), seen('alive'));
    expect(after(recovering, ...outages(2))).toMatchObject({ open: null, ramp: 2 });
    expect(after(recovering, ...outages(3))).toMatchObject({ open: { probes: 0 }, ramp: null });
    expect(after(recovering, ...outages(2), seen('alive'), ...outages(2)).open).toBeNull();
  });

  it('lets a probe through at its time, and one that is put off beyond any pause at once', () => {
    const policy = { ...POLICY, retry_after_cap_s: 3_600 };
    const due = (probeAt: number) =>
      isProbeDue({ openedAt: 0, reason: '', probes: 0, probeAt }, policy, 1_000_000);
    expect([due(1_000_000), due(1_000_001), due(1_000_000 + HOUR_MS)]).toEqual([true, false, false]);
    expect(due(1_000_001 + HOUR_MS)).toBe(true);
  });

  it('never lets more through than the policy allows, and something at least', () => {
    const verdicts = fc.array(fc.constantFrom('alive' as const, 'outage' as const, 'unknown' as const));
    fc.assert(
      fc.property(verdicts, fc.integer({ min: 1, max: 64 }), (all, concurrency) => {
        const policy = { ...DEFAULT_POLICY, concurrency };
        let state = CLOSED;
        for (const verdict of all) {
          state = afterAttempt(state, policy, seen(verdict, { probe: state.open !== null }));
          const places = allowedConcurrency(state, policy);
          expect(places).toBeGreaterThanOrEqual(1);
          expect(places).toBeLessThanOrEqual(concurrency);
        }
      }),
    );
  });
});

const verdict = (status: number | null, error: Parameters<typeof classifyOutcome>[0]['error']) =>
  classifyOutcome({ status, error });

it('an outage is no answer, 429 or 5xx; one refused event is none', () => {
  for (const status of [429, 500, 502, 503, 599]) expect(verdict(status, 'http_status')).toBe('outage');
  for (const status of [304, 400, 401, 404, 410, 413, 422])
    expect(verdict(status, 'http_status')).toBe('alive');
  for (const error of ['timeout', 'connection_refused', 'name_not_found', 'tls', 'network'] as const)
    expect(verdict(null, error)).toBe('outage');
  expect(verdict(200, 'connection_reset')).toBe('outage');
  expect(verdict(503, null)).toBe('alive');
  expect(verdict(null, 'address_denied')).toBe('unknown');
  expect(verdict(null, 'own_intake')).toBe('unknown');
});
