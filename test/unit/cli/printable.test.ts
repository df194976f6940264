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
const ORDINARY = ['Żółw & Söhne', '👩‍👩‍👧 family', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'naïve café', '日本'];

it.each(HOSTILE)('a name cannot contain control or invisible characters: %j', (name) => {
  expect(tokenCreate.safeParse({ name, scopes: ['read'] }).success).toBe(false);
  expect(targetCreate.safeParse({ name, url: 'http://127.0.0.1:9/', events: ['*'] }).success).toBe(false);
});

it.each(ORDINARY)('a name may be any ordinary text: %s', (name) => {
  expect(tokenCreate.safeParse({ name, scopes: ['read'] })).toMatchObject({ success: true, data: { name } });
});

it.each(HOSTILE)('%j is printed as one line without control characters', (text) => {
  const control = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202e\u00ad]/u;
  expect(oneLine(text)).not.toMatch(control);
  expect(jsonLine({ text })).not.toMatch(control);
  expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
});

it('ordinary text is printed unchanged', () => {
  for (const text of ORDINARY) expect(oneLine(text)).toBe(text);
});
