import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readTime } from '../../../src/relay/ground/read-time';

const BUILT = resolve(__dirname, '../../../dist/relay/ground/read-time.js');
const TEN = '2026-11-25T10:00:00.000Z';

const TIMES: [text: string, time: string | null][] = [
  ['2026-11-25T10:00:00Z', TEN],
  ['2026-11-25T10:00:00', TEN],
  ['2026-11-25 10:00:00', TEN],
  ['2026-11-25t10:00z', TEN],
  ['2026-11-25', '2026-11-25T00:00:00.000Z'],
  ['2026-11-25T10:00:00.5', '2026-11-25T10:00:00.500Z'],
  ['2026-11-25T10:00:00,123456789Z', '2026-11-25T10:00:00.123Z'],
  ['2026-11-25T15:30:00+05:30', TEN],
  ['2026-11-25T15:30:00+0530', TEN],
  ['2026-11-25 05:00:00-05', TEN],
  ['2026-11-25T24:00:00Z', '2026-11-26T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0050-01-01T00:00:00Z', '0050-01-01T00:00:00.000Z'],
  ['2026-02-29', null],
  ['2026-02-30T10:00:00Z', null],
  ['2026-13-01', null],
  ['2026-00-01', null],
  ['2026-01-00', null],
  ['2026-11-25T24:00:01Z', null],
  ['2026-11-25T25:00:00Z', null],
  ['2026-11-25T10:60:00Z', null],
  ['2026-11-25T10:00:61Z', null],
  ['2026-11-25T10:00:00+24:00', null],
  ['2026-11-25T10:00:00 +01:00', null],
  ['2026-11-25T10:00:00.Z', null],
  ['2026-11-25T10', null],
  ['2026-11-25Z', null],
  ['0000-01-01T00:00:00Z', null],
  ['0001-01-01T00:00:00+01:00', null],
  ['9999-12-31T23:59:59-01:00', null],
  ['-002026-11-25T10:00:00Z', null],
  ['+002026-11-25T10:00:00Z', null],
  ['20261125T100000Z', null],
  ['2026-W48-3', null],
  ['11/25/2026', null],
  ['25.11.2026 10:00', null],
  ['Nov 25 2026 10:00:00', null],
  ['Wed, 25 Nov 2026 10:00:00 GMT', null],
  ['1795600800', null],
  ['2026', null],
  ['', null],
  ['yesterday', null],
];

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

describe('a time from outside', () => {
  it.each(TIMES)('%j is %s', (text, time) => expect(iso(readTime(text))).toBe(time));

  it('is the same in every time zone', () => {
    const read = `JSON.stringify(${JSON.stringify(TIMES)}.map(([text]) => require(${JSON.stringify(BUILT)}).readTime(text)))`;
    const env = { ...process.env, TZ: 'Asia/Kolkata' };
    const times = JSON.parse(execFileSync(process.execPath, ['-p', read], { encoding: 'utf8', env })) as (
      | number
      | null
    )[];
    expect(times.map(iso)).toEqual(TIMES.map(([, time]) => time));
  });
});
