import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '../../src/sandbox/quirks/faults';
import { READINGS, type Reading } from '../../src/sandbox/quirks/readings';
import { CLAUSES } from './clauses';
import { readTestTitles } from './read-test-titles';

/** What `docs/sandbox.md` promises is held to the code: every clause has a row, every row a test, every switch its sentence. */
const documentation = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');

/** The cells of the rows of the table below a heading. */
function tableOf(heading: string): string[][] {
  const section = documentation.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.slice(2);
}

const clauses = tableOf('Clause by clause');

test('every clause of the document has its row, and there is no row of any other', () => {
  expect(clauses.map(([clause, words]) => [clause, words])).toEqual(Object.entries(CLAUSES));
});

test('every row says how the clause is read', () => {
  for (const [clause, , reading] of clauses)
    expect([clause, reading]).toEqual([clause, expect.stringMatching(/\w/)]);
});

test('every row names a test, and each test that is named exists', () => {
  const titles = readTestTitles();
  expect(titles.size).toBeGreaterThan(100);
  const missing = clauses.flatMap(([clause, , , tests = '']) =>
    tests
      .split('<br>')
      .filter((title) => !titles.has(title.replaceAll('\\', '')))
      .map((title) => `${clause}: ${title || 'no test'}`),
  );
  expect(missing).toEqual([]);
});

test('every reading stands in its table as the code has it', () => {
  const rows = Object.entries<Reading>(READINGS).map(([name, reading]) => [
    `\`${name}\``,
    `\`${reading.initial}\``,
    [
      reading.about,
      ...('least' in reading ? [`From ${reading.least} to ${reading.most}.`] : []),
      ...('values' in reading
        ? Object.entries<string>(reading.values).map(([value, about]) => `\`${value}\`: ${about}`)
        : []),
    ].join('<br>'),
  ]);
  expect(tableOf('Readings')).toEqual(rows);
});

test('every fault stands in its table as the code has it', () => {
  expect(tableOf('Faults')).toEqual(Object.entries(FAULTS).map(([name, about]) => [`\`${name}\``, about]));
});
