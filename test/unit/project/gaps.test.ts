import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const gaps = readFileSync(join(root, 'docs/gaps.md'), 'utf8');

/** The entries, each with its list: sandbox, Switchboard, tests. */
const entries = gaps
  .split('\n### ')
  .slice(1)
  .map((entry) => {
    const [title = '', list = ''] = (entry.split('\n## ')[0] ?? '').trim().split('\n\n');
    const items = list.split(/^- /m).slice(1);
    return { title, items: items.map((item) => item.trim().replace(/\s*\n\s*/g, ' ')) };
  });

describe('the list of gaps in the document', () => {
  it('has an entry for each gap: what the sandbox does, what Switchboard tolerates, and the tests', () => {
    expect(entries.length).toBeGreaterThan(40);
    for (const { title, items } of entries)
      expect([title, ...items]).toEqual([
        expect.stringMatching(/\w/),
        expect.stringMatching(/^Sandbox: .*\w/),
        expect.stringMatching(/^Switchboard: .*\w/),
        expect.stringMatching(/^Tests: .*\w/),
      ]);
    expect(new Set(entries.map(({ title }) => title)).size).toBe(entries.length);
  });

  it('names only tests that exist', () => {
    const named = entries.flatMap(({ title, items }) =>
      (items[2] ?? '')
        .replace('Tests: ', '')
        .split(', ')
        .map((test) => [title, test] as const),
    );
    const missing = named.filter(
      ([, test]) => !existsSync(join(root, 'test', `${test.slice(1, -1)}.test.ts`)),
    );
    expect(missing).toEqual([]);
  });
});
