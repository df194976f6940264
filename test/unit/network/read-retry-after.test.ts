import { readRetryAfter } from '../../../src/relay/network/read-retry-after';

describe('the Retry-After header', () => {
  const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['-5', null],
    ['1.5', 2_000],
    ['0.001', 1_000],
    ['1.', 1_000],
    ['9'.repeat(400), 1e13],
    ['1,5', null],
    ['1e3', null],
    ['-1.5', null],
    ['', null],
    ['soon', null],
    ['2', 2_000],
    ['1994-11-06', null],
    ['Sun, nonsense', null],
    ['Sunday, 06-Nov-44 08:49:37 GMT', Date.UTC(2044, 10, 6, 8, 49, 37) - NOW],
    ['Sunday, 06-Nov-45 08:49:37 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['Sun, 06 Nov 1994 08:49:37 +0100', null],
    ['Sun, 31 Feb 1995 08:49:37 GMT', null],
    ['Sun, 06 Foo 1994 08:49:37 GMT', null],
    ['Sun Nov  6 08:49:37 1994 EST', null],
    ['Sun 5', null],
  ])('%j means a delay of %s ms', (text, delayMs) => expect(readRetryAfter(text, NOW)).toBe(delayMs));
});
