import { TokenBucket } from '../../../src/relay/ground/token-bucket';

/** How many tokens are taken within `ms`, with an attempt every millisecond. */
const sentWithin = (bucket: TokenBucket, from: number, ms: number) => {
  let sent = 0;
  for (let now = from; now < from + ms; now += 1) while (bucket.take(now)) sent += 1;
  return sent;
};

describe('a rate limit', () => {
  it.each([
    [10, 'second', 60_000, 600],
    [1, 'second', 60_000, 60],
    [500, 'second', 10_000, 5_000],
    [30, 'minute', 600_000, 300],
  ] as const)('of %i per %s is met over %i ms', (limit, per, ms, expected) => {
    const sent = sentWithin(new TokenBucket({ limit, per }, 0), 0, ms);
    expect(sent).toBeGreaterThanOrEqual(expected * 0.98);
    expect(sent).toBeLessThanOrEqual(expected + Math.max(1, limit / 10));
  });

  it('allows a burst of at most a tenth of a second after a long pause', () => {
    const bucket = new TokenBucket({ limit: 100, per: 'second' }, 0);
    expect(sentWithin(bucket, 3_600_000, 1)).toBe(10);
  });

  it('returns the time until the next token', () => {
    const bucket = new TokenBucket({ limit: 4, per: 'second' }, 0);
    expect(bucket.take(0)).toBe(true);
    expect(bucket.waitMs(0)).toBe(250);
    expect(bucket.take(249)).toBe(false);
    expect(bucket.take(250)).toBe(true);
  });
});
