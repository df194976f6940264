import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PROBLEM_CODES, statusesOf, type ProblemCode } from '../../../src/contract/problem-codes';

const ROOT = resolve(__dirname, '../../..');
const FILE = join(ROOT, 'docs/errors.md');
const START = '<!-- From here on written by `npm run docs:cli`. -->';

const codes = Object.keys(PROBLEM_CODES) as ProblemCode[];

/** What the document has from the table of codes; its columns are not aligned. */
function rows(): string[] {
  const [, table = ''] = readFileSync(FILE, 'utf8').split(START);
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replaceAll(/ +/g, ' '));
}

it('docs/errors.md has every code of the table as it is: npm run docs:cli', () => {
  const expected = codes.map(
    (code) => `| \`${code}\` | ${statusesOf(code).join(', ')} | ${PROBLEM_CODES[code][1]} |`,
  );
  if (process.env['WRITE_DOCS']) {
    const [byHand = ''] = readFileSync(FILE, 'utf8').split(START);
    const table = ['| code | status | meaning |', '| --- | --- | --- |', ...expected].join('\n');
    writeFileSync(FILE, `${byHand}${START}\n\n${table}\n`);
  }
  expect(rows()).toEqual(expected);
});

it('every error of the daemon has a status of its code', () => {
  const files = readdirSync(join(ROOT, 'src/relay'), { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ROOT, 'src/relay', file), 'utf8'));
  const thrown = sources.flatMap((text) => [...text.matchAll(/new RelayError\(\s*'(\w+)',\s*(\d{3}),/g)]);
  expect(thrown.length).toBeGreaterThan(70);
  const wrong = thrown.filter(
    ([, code, status]) => !statusesOf(code as ProblemCode).includes(Number(status)),
  );
  expect(wrong.map(([, code, status]) => `${code} ${status}`)).toEqual([]);
});
