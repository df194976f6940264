import * as fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { longestPauseMs, retryDelayMs } from '../../../src/relay/deliveries/sending/retry-schedule';

const SECOND = 1_000;
const HOUR_MS = 3_600_000;
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the retry schedule', () => {
  it('has eight attempts over about half a day by default, each pause longer than the one before', () => {
    fc.assert(
      fc.property(fc.array(fraction, { minLength: 7, maxLength: 7 }), (fractions) => {
        const delays = fractions.map((one, i) => retryDelayMs(DEFAULT_POLICY, i + 1, one)!);
        for (const [i, delay] of delays.entries()) expect(delay).toBeGreaterThan(delays[i - 1] ?? 0);
        const total = delays.reduce((sum, delay) => sum + delay, 0);
        expect(total).toBeGreaterThan(9 * HOUR_MS);
        expect(total).toBeLessThan(14 * HOUR_MS);
      }),
    );
    expect(retryDelayMs(DEFAULT_POLICY, 8, 0.5)).toBeNull();
  });

  it('uses a list, or grows by a factor up to a cap, for a number of attempts', () => {
    const listed = { retry: { delays_s: [1, 0.5, 60] }, jitter: 0 };
    expect([1, 2, 3, 4].map((attempts) => retryDelayMs(listed, attempts, 0.5))).toEqual([
      1_000,
      500,
      60_000,
      null,
    ]);
    const growing = { retry: { attempts: 6, first_s: 2, factor: 3, cap_s: 30 }, jitter: 0 };
    expect([1, 2, 3, 4, 5, 6].map((attempts) => retryDelayMs(growing, attempts, 0.5))).toEqual([
      2_000,
      6_000,
      18_000,
      30_000,
      30_000,
      null,
    ]);
    expect(retryDelayMs({ retry: { delays_s: [] }, jitter: 0 }, 1, 0.5)).toBeNull();
  });

  it('varies each pause by the jitter of the policy, in both directions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fraction,
        (attempts, jitter, one) => {
          const policy = { ...DEFAULT_POLICY, jitter };
          const middle = retryDelayMs({ ...policy, jitter: 0 }, attempts, 0)!;
          expect(Math.abs(retryDelayMs(policy, attempts, one)! - middle)).toBeLessThanOrEqual(
            middle * jitter + 1,
          );
        },
      ),
    );
    expect(retryDelayMs(DEFAULT_POLICY, 1, 0)).toBe(4_000);
    expect(retryDelayMs(DEFAULT_POLICY, 1, 0.999_999)).toBe(6_000);
  });
});

describe('the longest pause of a policy', () => {
  it('is that of its retries with full jitter, or its cap for Retry-After', () => {
    expect(longestPauseMs(DEFAULT_POLICY)).toBe(28_800 * 1.2 * SECOND);
    const growing = { attempts: 4, first_s: 10, factor: 3, cap_s: 60 };
    const parts = { retry: growing, jitter: 0, retry_after_cap_s: 0 };
    expect(longestPauseMs(parts)).toBe(60 * SECOND);
    expect(longestPauseMs({ ...parts, retry_after_cap_s: 600 })).toBe(600 * SECOND);
    expect(longestPauseMs({ ...parts, retry: { delays_s: [] } })).toBe(0);
  });
});
