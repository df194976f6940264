import {
  describeTimeRange,
  formatTime,
  parseTime,
  parseTimeRange,
  resolveTimeRange,
} from '../../../ui/src/format/time-range';
import { setTimeZone } from '../../../ui/src/format/time-zone';

const NOW = Date.parse('2026-03-02T09:30:15.250Z');

beforeEach(() => setTimeZone('utc'));

it.each([
  [{ range: '24h', since: '2026-01-01' }, { range: '24h' }],
  [{ range: '90m' }, { range: '90m' }],
  [
    { range: 'fortnight', since: '2026-01-01T00:00:00Z', until: 'nonsense' },
    { since: '2026-01-01T00:00:00Z' },
  ],
  [{ range: '0h', since: ['2026-01-01', '2026-01-02'] }, {}],
])('a URL keeps what is valid: %j', (search, range) => {
  expect(parseTimeRange(search)).toEqual(range);
});

it.each([
  ['15m', { since: '2026-03-02T09:15:15.250Z' }],
  ['24h', { since: '2026-03-01T09:30:15.250Z' }],
  ['7d', { since: '2026-02-23T09:30:15.250Z' }],
  ['today', { since: '2026-03-02T00:00:00.000Z' }],
  ['yesterday', { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' }],
])('a relative range is resolved at the time of the request: %s', (range, times) => {
  expect(resolveTimeRange({ range }, NOW)).toEqual(times);
});

it('days begin at midnight of the selected time zone', () => {
  setTimeZone('local');
  const { since } = resolveTimeRange({ range: 'today' }, NOW);
  expect(new Date(since!).getHours()).toBe(0);
  expect(Date.parse(since!)).toBe(new Date(NOW).setHours(0, 0, 0, 0));
});

it.each([
  [{}, null],
  [{ range: '1h' }, 'Last hour'],
  [{ range: '15m' }, 'Last 15 minutes'],
  [{ range: 'yesterday' }, 'Yesterday'],
  [{ since: '2026-03-01T23:00:00Z' }, 'From 2026-03-01 23:00'],
  [
    { since: '2026-03-01T23:00:00Z', until: '2026-03-02T01:00:30Z' },
    '2026-03-01 23:00 – 2026-03-02 01:00:30',
  ],
])('is described in words: %j', (range, text) => {
  expect(describeTimeRange(range)).toBe(text);
});

it('reads times that people write, and no others', () => {
  for (const text of ['2026-11-22 23:00', '2026-11-22T23:00:00', ' 2026-11-22 23:00 '])
    expect(parseTime(text)).toBe('2026-11-22T23:00:00.000Z');
  expect(parseTime('2026-11-2')).toBe('2026-11-02T00:00:00.000Z');
  expect(formatTime('2026-11-22T23:00:00.000Z')).toBe('2026-11-22 23:00');
  for (const text of [
    '',
    'yesterday',
    '11/22/2026',
    '2026-04-31 10:00',
    '2026-01-01 24:00',
    '2026-01-01 10:60',
  ])
    expect(parseTime(text)).toBeNull();
});
