import { describeOutage } from '../../../ui/src/features/traffic-chart/describe-outage';
import { formatExact } from '../../../ui/src/format/exact';
import { formatShare } from '../../../ui/src/format/number';
import { formatRelative } from '../../../ui/src/format/relative';
import { setTimeZone } from '../../../ui/src/format/time-zone';
import { ago, HOUR_MS, NOW } from './samples';

describe('numbers and times', () => {
  it.each([
    [10, 10, '100%'],
    [99_999, 100_000, '99.9%'],
    [1, 100_000, '0.1%'],
    [0, 5, '0%'],
  ])('%d of %d is shown as %s, and only exact values as 0%% or 100%%', (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text);
  });

  it.each([
    [-30 * 24 * HOUR_MS + 1_000, 'in 30 d'],
    [-HOUR_MS + 1_000, 'in 1 h'],
    [-48_000, 'in 48 s'],
    [-2_000_000, 'in 33 min'],
    [23.9 * HOUR_MS, '23 h ago'],
    [-1_000, 'just now'],
  ])(
    'a time %d ms ago is shown as "%s": an age is rounded down, time left to the nearest unit',
    (ms, text) => {
      expect(formatRelative(ago(ms), NOW)).toBe(text);
    },
  );

  it('are in UTC if selected', () => {
    setTimeZone('utc');
    expect(formatExact('2026-03-02T09:30:00.123Z')).toBe('2026-03-02 09:30:00.123 UTC');
    const outage = {
      id: 'out_1',
      kind: 'downtime' as const,
      began_at: '2026-03-01T23:50:00.000Z',
      ended_at: '2026-03-02T09:20:00.000Z',
      seconds: 34_200,
      sentence: '',
      dismissed_at: null,
      after_seq: 7,
      gap_event_id: null,
    };
    expect(describeOutage(outage, NOW)).toBe('03-01 23:50–09:20 (9 h 30 min): events may have been missed');
    const short = {
      ...outage,
      began_at: '2026-03-02T00:47:27.000Z',
      ended_at: '2026-03-02T00:47:56.000Z',
      seconds: 29,
    };
    expect(describeOutage(short, NOW)).toBe('00:47:27–00:47:56 (29 s): events may have been missed');
    expect(describeOutage({ ...outage, kind: 'silence', ended_at: null }, NOW)).toBe(
      '03-01 23:50–now (9 h 30 min): no notifications received',
    );
    setTimeZone('local');
  });
});
