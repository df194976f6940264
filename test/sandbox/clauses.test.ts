import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Quirk, QUIRKS } from '../../src/sandbox/quirks/quirk-table';
import { CLAUSES } from './clauses';
import { readTestTitles } from './read-test-titles';

/** How the sandbox implements each clause of Co-Pilot's document, and the tests of each. */
const clausesFile = readFileSync(join(__dirname, '../fixtures/clauses.md'), 'utf8');
const documentation = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');

interface Entry {
  title: string;
  text: string;
  /** The items of its list. */
  items: string[];
}

/** The entries, each below a heading of its own; line breaks within a paragraph or an item are spaces. */
function parseEntries(markdown: string): Entry[] {
  return markdown
    .split(/\n##+ /)
    .slice(1)
    .map((entry) => {
      const [title = '', text = '', list = ''] = entry.trim().split('\n\n');
      const items = list.split(/^- /m).slice(1);
      return { title, text: unwrap(text), items: items.map(unwrap) };
    });
}

const unwrap = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

const clauses = parseEntries(clausesFile);
const quirks = parseEntries(documentation.split('\n## Quirks\n')[1]?.split('\n## ')[0] ?? '');

test('the entries are exactly the clauses of the document', () => {
  expect(clauses.map(({ title }) => title)).toEqual(
    Object.entries(CLAUSES).map(([clause, rule]) => `${clause}: ${rule}`),
  );
});

test('every entry says how the clause is implemented', () => {
  for (const { title, text } of clauses)
    expect([title, text]).toEqual([title, expect.stringMatching(/^[^-].*\w/)]);
});

test('every entry names at least one test, and every named test exists', () => {
  const titles = readTestTitles();
  expect(titles.size).toBeGreaterThan(100);
  const missing = clauses.flatMap(({ title, items }) =>
    (items.length > 0 ? items : ['no test'])
      .filter((item) => !titles.has(item.replaceAll('\\', '')))
      .map((item) => `${title}: ${item}`),
  );
  expect(missing).toEqual([]);
});

test('every quirk is documented as in the code', () => {
  expect(quirks).toEqual(
    Object.entries<Quirk>(QUIRKS).map(([name, quirk]) => ({
      title: `\`${name}\``,
      text: textOf(quirk),
      items:
        quirk.kind === 'choice'
          ? Object.entries(quirk.values).map(([value, description]) => `\`${value}\`: ${description}`)
          : [],
    })),
  );
});

function textOf(quirk: Quirk): string {
  if (quirk.kind === 'fault') return `Fault. ${quirk.description}`;
  const text = `${quirk.description} Default: \`${quirk.default}\`.`;
  return quirk.kind === 'amount' ? `${text} From ${quirk.min} to ${quirk.max}.` : text;
}
