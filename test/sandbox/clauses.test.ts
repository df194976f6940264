import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '../../src/sandbox/quirks/faults';
import { READINGS, type Reading } from '../../src/sandbox/quirks/readings';
import { CLAUSES } from './clauses';
import { readTestTitles } from './read-test-titles';

/** Compares `docs/sandbox.md` with the code: every clause, reading and fault has its entry, every clause its tests. */
const documentation = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');

interface Entry {
  title: string;
  text: string;
  /** The items of its list. */
  items: string[];
}

/** The entries below a heading; line breaks within a paragraph or an item are spaces. */
function entriesOf(heading: string): Entry[] {
  const section = documentation.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n### ')
    .slice(1)
    .map((entry) => {
      const [title = '', text = '', list = ''] = entry.trim().split('\n\n');
      const items = list.split(/^- /m).slice(1);
      return { title, text: unwrap(text), items: items.map(unwrap) };
    });
}

const unwrap = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

const clauses = entriesOf('Clause by clause');

test('every clause of the document has its entry, and there are no others', () => {
  expect(clauses.map(({ title }) => title)).toEqual(
    Object.entries(CLAUSES).map(([clause, rule]) => `${clause}: ${rule}`),
  );
});

test('every entry says how the clause is implemented', () => {
  for (const { title, text } of clauses)
    expect([title, text]).toEqual([title, expect.stringMatching(/^[^-].*\w/)]);
});

test('every entry names a test, and each named test exists', () => {
  const titles = readTestTitles();
  expect(titles.size).toBeGreaterThan(100);
  const missing = clauses.flatMap(({ title, items }) =>
    (items.length > 0 ? items : ['no test'])
      .filter((item) => !titles.has(item.replaceAll('\\', '')))
      .map((item) => `${title}: ${item}`),
  );
  expect(missing).toEqual([]);
});

test('every reading is documented as the code has it', () => {
  const readings = Object.entries<Reading>(READINGS).map(([name, reading]) => ({
    title: `\`${name}\``,
    text: [
      `${reading.about} Default: \`${reading.initial}\`.`,
      ...('least' in reading ? [`From ${reading.least} to ${reading.most}.`] : []),
    ].join(' '),
    items:
      'values' in reading
        ? Object.entries<string>(reading.values).map(([value, about]) => `\`${value}\`: ${about}`)
        : [],
  }));
  expect(entriesOf('Readings')).toEqual(readings);
});

test('every fault is documented as the code has it', () => {
  expect(entriesOf('Faults')).toEqual(
    Object.entries(FAULTS).map(([name, about]) => ({ title: `\`${name}\``, text: about, items: [] })),
  );
});
