import { StartupError } from '../../../src/relay/ground/relay-error';
import { parseEnvFile } from '../../../src/relay/settings/env-file';
import { KNOWN_NAMES } from '../../../src/relay/settings/setting-table';

const read = (text: string, encoding: BufferEncoding = 'utf8') =>
  parseEnvFile(Buffer.from(text, encoding), KNOWN_NAMES);

const doubts = (text: string) => read(text).doubts.map(({ where }) => where);

it.each<[line: string, value: string]>([
  ['SECRET=p@ss#word', 'p@ss#word'],
  ['SECRET=#word', '#word'],
  ['SECRET=word # a comment', 'word'],
  ['SECRET= # a comment', ''],
  ['  export SECRET = word  ', 'word'],
  ['SECRET: word', 'word'],
  [`SECRET='a "b" # c' # a comment`, 'a "b" # c'],
  ['SECRET="a \\"b\\" \\$c\\n\\d"', 'a "b" $c\n\\d'],
  ['SECRET=`it\'s "b"`', `it's "b"`],
  ['SECRET="first\nsecond"', 'first\nsecond'],
  ['SECRET=a=b', 'a=b'],
  ["SECRET=it's", "it's"],
])('%j is read as Docker Compose reads it', (line, value) => {
  expect(read(`# A=b\n\nBEFORE=1\n${line}\nAFTER=2`).values).toEqual({
    BEFORE: '1',
    SECRET: value,
    AFTER: '2',
  });
});

it('the file may be saved as editors and shells save it', () => {
  const text = 'HOST=ä\r\nPORT=1\r\n';
  const values = { HOST: 'ä', PORT: '1' };
  const swapped = Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
  expect(read(`\uFEFF${text}`).values).toEqual(values);
  expect(read(`\uFEFF${text}`, 'utf16le').values).toEqual(values);
  expect(read(text, 'utf16le').values).toEqual(values);
  expect(parseEnvFile(swapped, KNOWN_NAMES).values).toEqual(values);
  expect(read(text.replaceAll('\r\n', '\r')).values).toEqual(values);
  expect(read('').values).toEqual({});
});

it.each([
  'COPILOT_CLIENT_SECRET="never closed',
  'COPILOT_CLIENT_SECRET="a"b',
  "COPILOT_CLIENT_SECRET='a' b",
  'set COPILOT_CLIENT_SECRET=a',
  '$env:COPILOT_CLIENT_SECRET = "a"',
  'COPILOT_CLIENT_SECRET_FILE',
])('a line of a setting that cannot be read is an error, which names it without its value: %j', (line) => {
  const attempt = () => read(`OTHER=1\n${line}\n`);
  expect(attempt).toThrow(StartupError);
  expect(attempt).toThrow(/^COPILOT_CLIENT_SECRET(_FILE)? cannot be read/);
  expect(attempt).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ where: '.env, line 2' })] }),
  );
});

it('bytes that are not UTF-8 are an error in the value of a setting, and of no matter elsewhere', () => {
  expect(() => read('SWITCHBOARD_NAME=Büro', 'latin1')).toThrow(StartupError);
  expect(read('# für\nOTHER=Büro\nPORT=1', 'latin1').values).toMatchObject({ PORT: '1' });
});

it('a setting that is set twice, or in which Docker Compose would replace text, is doubtful', () => {
  expect(doubts('PORT=1\nPORT=2')).toEqual(['.env, line 2']);
  expect(doubts('COPILOT_CLIENT_SECRET=pa$word')).toEqual(['.env, line 1']);
  expect(doubts('COPILOT_CLIENT_SECRET="${word}"')).toEqual(['.env, line 1']);
  expect(doubts("COPILOT_CLIENT_SECRET='pa$word'\nOTHER=1\nOTHER=$2")).toEqual([]);
});
