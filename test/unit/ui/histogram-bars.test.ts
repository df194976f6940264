import { setTimeZone } from '../../../ui/src/format/time-zone';
import { barsOf, endsOf } from '../../../ui/src/screens/events/histogram-bars';

describe('a bar of the histogram', () => {
  it('counts queued and retried events apart, as their states in the list have colours of their own', () => {
    const counts = { succeeded: 5, pending: 1, retrying: 2, dead: 3, unmatched: 4, cancelled: 6 };
    const at = '2026-11-22T23:00:00.000Z';
    expect(barsOf({ count: 21, estimated: false, bucket_s: 60, buckets: [{ at, counts }] })).toEqual([
      {
        since: at,
        until: '2026-11-22T23:01:00.000Z',
        counts: { delivered: 5, queued: 1, retrying: 2, failed: 3, none: 10 },
        total: 21,
      },
    ]);
  });
});

it.each([
  ['23:00:00', 60, ['2026-11-22 23:00', '2026-11-22 23:01']],
  ['23:00:30', 30, ['2026-11-22 23:00:30', '2026-11-22 23:01:00']],
])('both ends of the bars are written alike: %s, %d s', (clock, width, ends) => {
  setTimeZone('utc');
  const buckets = [{ at: `2026-11-22T${clock}.000Z`, counts: {} }] as never;
  expect(endsOf(barsOf({ count: 0, estimated: false, bucket_s: width, buckets }))).toEqual(ends);
  setTimeZone('local');
});
