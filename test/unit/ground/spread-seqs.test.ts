import { spreadSeqs } from '../../../src/relay/events/search/survey-events.query';

const RANGE = { after: 1_000, before: 101_001 };

it.each([100, 5_000])('the first %d of a sample are distributed evenly over the range', (amount) => {
  const seqs = spreadSeqs(RANGE, 5_000).slice(0, amount);
  expect(new Set(seqs).size).toBe(amount);
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const [from, to] = [1_000 + tenth * 10_000, 11_000 + tenth * 10_000];
    const share = seqs.filter((seq) => seq > from && seq <= to).length;
    expect(Math.abs(share - amount / 10)).toBeLessThanOrEqual(2);
  }
});

it('a sample follows no pattern of the events, and leaves none out if there are few', () => {
  const even = spreadSeqs(RANGE, 5_000).filter((seq) => seq % 2 === 0).length;
  expect(Math.abs(even - 2_500)).toBeLessThan(50);
  expect(spreadSeqs({ after: 3, before: 7 }, 5_000)).toEqual([4, 5, 6]);
  expect(spreadSeqs({ after: 3, before: 4 }, 5_000)).toEqual([]);
});
