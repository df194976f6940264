import { InvalidArgumentError } from 'commander';
import { parsePoint, parseTime } from '../../../src/cli/definitions/parse';

const { TZ } = process.env;
beforeAll(() => {
  process.env['TZ'] = 'America/New_York';
});
afterAll(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

it.each([
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T08:00', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00:01.25', '2026-11-20T08:00:01.250Z'],
  ['2026-11-20t08:00z', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00+01:00', '2026-11-20T07:00:00.000Z'],
  ['2026-11-20T08:00:00-0530', '2026-11-20T13:30:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
])('%s is a time in UTC unless it has an offset, whatever the time zone of the machine', (text, time) => {
  expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(300);
  expect(parseTime(text)).toBe(time);
});

it.each([
  '2026-02-30',
  '2026-02-29T08:00Z',
  '2026-13-01',
  '2026-11-20 25:00',
  '2026-11-20 08:00 GMT',
  '2026-11-20-05:00',
  '20 Nov 2026',
  '',
])('%j is refused', (text) => {
  expect(() => parseTime(text)).toThrow(InvalidArgumentError);
});

it('the seq of an event, a duration and today are points too', () => {
  expect(parsePoint('42')).toBe('42');
  expect(Date.now() - Date.parse(parsePoint('15m'))).toBeGreaterThanOrEqual(900_000);
  expect(parsePoint('today')).toMatch(/T00:00:00\.000Z$/);
});
