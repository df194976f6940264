import { DurationHistogram } from '../../../src/relay/ground/duration-histogram';

it('counts a duration under each bound that it does not exceed', () => {
  const histogram = new DurationHistogram([0.001, 0.01, 1]);
  for (const durationMs of [0, 1, 1.5, 10, 999, 1_000, 1_001, 60_000]) histogram.add(durationMs);
  expect(histogram.cumulativeCounts).toEqual([2, 4, 6, 8]);
  expect(histogram.sumSeconds).toBeCloseTo(63.012_5, 9);
});
