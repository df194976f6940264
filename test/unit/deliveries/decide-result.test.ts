import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import type { TargetPolicy } from '../../../src/contract/target-policy';
import type { DueDelivery } from '../../../src/relay/database/journal/journal';
import { decideResult, type AttemptContext } from '../../../src/relay/deliveries/sending/decide-result';
import { dueDelivery } from '../../support/due-delivery';

const BUILT = resolve(__dirname, '../../../dist/relay/network/read-retry-after.js');
const SECOND = 1_000;
const HOUR_MS = 3_600_000;

const outcome = (status: number | null, retryAfter: string | null = null) => ({
  status,
  error: status === null ? ('timeout' as const) : status < 300 ? null : ('http_status' as const),
  durationMs: 100,
  excerpt: null,
  retryAfter,
});
const policy = (parts: Partial<TargetPolicy> = {}): TargetPolicy => ({
  ...DEFAULT_POLICY,
  jitter: 0,
  ...parts,
});
const at = (parts: Partial<AttemptContext> = {}): AttemptContext => ({
  policy: policy(),
  startedAt: SECOND,
  endedLatest: (parts.startedAt ?? SECOND) + 100,
  fraction: 0.5,
  breakerOpen: false,
  ...parts,
});
const decide = (one: DueDelivery, status: number | null, parts: Partial<AttemptContext> = {}) =>
  decideResult(one, outcome(status), at(parts)).result;
const decideRetryAfter = (retryAfter: string, parts: Partial<AttemptContext> = {}) =>
  decideResult(dueDelivery(), outcome(503, retryAfter), at(parts)).result;

describe('the result of an attempt', () => {
  it('is success, a retry after a failure, or a dead letter with a reason after the last attempt', () => {
    expect(decide(dueDelivery(), 204)).toMatchObject({ state: 'succeeded', dueAt: null, note: null });
    expect(decide(dueDelivery(), 500)).toMatchObject({ state: 'retrying', dueAt: 6_100, note: null });
    expect(decide(dueDelivery({ attempts: 6 }), null)).toMatchObject({ state: 'retrying' });
    expect(decide(dueDelivery({ attempts: 7 }), null)).toMatchObject({
      state: 'dead',
      dueAt: null,
      attempt: { number: 8 },
      note: 'Response timed out after 8 attempts.',
    });
    const once = { policy: policy({ retry: { delays_s: [] } }) };
    expect(decide(dueDelivery(), 404, once).note).toBe('HTTP 404 after 1 attempt.');
  });

  it('is a retry at once that does not count, but only once, if a connection that had been used was closed', () => {
    const none = at({
      policy: policy({ retry: { delays_s: [] }, retry_on: { network: false, statuses: [] } }),
    });
    const stale = { ...outcome(null), wasStale: true };
    expect(decideResult(dueDelivery(), stale, none).result).toMatchObject({
      state: 'retrying',
      dueAt: SECOND,
      uncounted: 1,
    });
    expect(decideResult(dueDelivery({ attempts: 1, uncounted: 1 }), stale, none).result.state).toBe('dead');
  });

  it('is a dead letter for failures that the policy does not retry', () => {
    const only5xx = { policy: policy({ retry_on: { network: false, statuses: ['5xx', 429] } }) };
    expect(decide(dueDelivery(), 404, only5xx)).toMatchObject({
      state: 'dead',
      note: 'HTTP 404, which is not retried for this target.',
    });
    expect(decide(dueDelivery(), null, only5xx).state).toBe('dead');
    expect(decide(dueDelivery(), 429, only5xx).state).toBe('retrying');
    expect(decide(dueDelivery(), 503, only5xx).state).toBe('retrying');
  });

  it('is a dead letter for 410, however many attempts are left, and disables the target', () => {
    const dead = { state: 'dead', dueAt: null, ending: 'gone', note: 'HTTP 410 Gone.' };
    for (const attempts of [0, 7, 20]) {
      const { result, disableReason } = decideResult(dueDelivery({ attempts }), outcome(410), at());
      expect(result).toMatchObject({ ...dead, blocksLane: false });
      expect(disableReason).toBe(dead.note);
    }
    const stopping = at({ policy: policy({ on_dead: 'stop' }) });
    expect(decideResult(dueDelivery({ lane: 'deal:1' }), outcome(410), stopping).result.blocksLane).toBe(
      true,
    );
    expect(decideResult(dueDelivery(), outcome(404), at()).disableReason).toBeNull();
  });

  it('does not count failed probes of an open circuit breaker', () => {
    const open = { breakerOpen: true };
    expect(decide(dueDelivery({ attempts: 7 }), 503, open)).toMatchObject({
      state: 'retrying',
      dueAt: 1_100,
      uncounted: 1,
    });
    // A failure of an available target still counts.
    expect(decide(dueDelivery({ attempts: 7 }), 404, open).state).toBe('dead');
    // Of twelve attempts, five do not count.
    expect(decide(dueDelivery({ attempts: 11, uncounted: 5 }), 503)).toMatchObject({
      state: 'retrying',
      uncounted: 5,
    });
    expect(decide(dueDelivery({ attempts: 12, uncounted: 5 }), 503).state).toBe('dead');
  });

  it('is delayed by Retry-After, in seconds or as a date, up to the cap; it is never earlier than without', () => {
    expect(decideRetryAfter('60').dueAt).toBe(1_100 + 60_000);
    expect(decideRetryAfter('Thu, 01 Jan 1970 00:01:01 GMT').dueAt).toBe(61_000);
    expect(decideRetryAfter('1').dueAt).toBe(6_100);
    expect(decideRetryAfter('0').dueAt).toBe(6_100);
    expect(decideRetryAfter('tomorrow').dueAt).toBe(6_100);
    expect(decideRetryAfter('999999').dueAt).toBe(1_100 + HOUR_MS);
    expect(decideRetryAfter('60', { policy: policy({ retry_after_cap_s: 20 }) }).dueAt).toBe(21_100);
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000 }), (seconds) => {
        const { dueAt } = decideRetryAfter(String(seconds));
        expect(dueAt).toBeGreaterThanOrEqual(6_100);
        expect(dueAt).toBeLessThanOrEqual(1_100 + HOUR_MS);
      }),
    );
  });

  it('reads only HTTP dates in Retry-After; a date in asctime format is UTC in any time zone', () => {
    expect(decideRetryAfter('Thu Jan  1 00:01:01 1970').dueAt).toBe(61_000);
    expect(decideRetryAfter('Thursday, 01-Jan-70 00:01:01 GMT').dueAt).toBe(61_000);
    for (const text of ['1970-01-01T00:01:01Z', 'Jan 1 1970 00:01:01 GMT', '60,5', '-60'])
      expect(decideRetryAfter(text).dueAt).toBe(6_100);
    const read = `require(${JSON.stringify(BUILT)}).readRetryAfter('Thu Jan  1 00:01:01 1970', 0)`;
    const env = { ...process.env, TZ: 'Asia/Tokyo' };
    expect(execFileSync(process.execPath, ['-p', read], { encoding: 'utf8', env }).trim()).toBe('61000');
  });

  it('is also delayed by Retry-After while the circuit breaker is open', () => {
    const open = { breakerOpen: true };
    expect(decideRetryAfter('60', open)).toMatchObject({ dueAt: 61_100, uncounted: 1 });
    expect(decideRetryAfter('Thu, 01 Jan 1970 00:00:00 GMT', open).dueAt).toBe(1_100);
  });

  it('stops the lane only for a dead letter, and only if the policy says so', () => {
    const stop = { policy: policy({ on_dead: 'stop', retry: { delays_s: [] } }) };
    expect(decide(dueDelivery({ lane: 'deal:1' }), 500, stop)).toMatchObject({
      lane: 'deal:1',
      blocksLane: true,
    });
    expect(decide(dueDelivery(), 500, stop).blocksLane).toBe(false);
    expect(decide(dueDelivery({ lane: 'deal:1' }), 200, stop).blocksLane).toBe(false);
    expect(
      decide(dueDelivery({ lane: 'deal:1' }), 500, { policy: policy({ retry: { delays_s: [] } }) }),
    ).toMatchObject({
      state: 'dead',
      blocksLane: false,
    });
  });
});
