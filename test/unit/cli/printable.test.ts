import { oneLine, jsonLine } from '../../../src/cli/printable';
import { tokenCreate } from '../../../src/contract/token';
import { targetCreate } from '../../../src/contract/target';

const HOSTILE = [
  '\u001b]0;PWNED\u0007',
  'a\r\nConnection  all is well',
  '\u009b2J',
  'abc\u202edef',
  'a\u2028b',
  '\u00adx',
  'x\ud800',
];
const PEOPLE = ['Żółw & Söhne', '👩‍👩‍👧 family', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'naïve café', '日本'];

it.each(HOSTILE)('no name has what is obeyed and not shown: %j', (name) => {
  expect(tokenCreate.safeParse({ name, scopes: ['read'] }).success).toBe(false);
  expect(targetCreate.safeParse({ name, url: 'http://127.0.0.1:9/', events: ['*'] }).success).toBe(false);
});

it.each(PEOPLE)('a name may be what people write: %s', (name) => {
  expect(tokenCreate.safeParse({ name, scopes: ['read'] })).toMatchObject({ success: true, data: { name } });
});

it.each(HOSTILE)('what is printed of %j is one line without anything that a terminal obeys', (text) => {
  const obeyed = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202e\u00ad]/u;
  expect(oneLine(text)).not.toMatch(obeyed);
  expect(jsonLine({ text })).not.toMatch(obeyed);
  expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
});

it('what people write is printed as it is', () => {
  for (const text of PEOPLE) expect(oneLine(text)).toBe(text);
});
