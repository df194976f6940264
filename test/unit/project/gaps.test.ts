import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const gaps = readFileSync(join(root, 'docs/gaps.md'), 'utf8');

/** The cells of each row below the heads of the tables. */
const rows = gaps
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| --') && !line.startsWith('| not shown'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('What the document leaves open', () => {
  it('is read by the sandbox and put up with by the relay, each gap in a row of its own', () => {
    expect(rows.length).toBeGreaterThan(40);
    for (const row of rows) expect(row).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/\w/)));
    expect(new Set(rows.map(([gap]) => gap)).size).toBe(rows.length);
  });

  it('is held to tests that exist', () => {
    const named = rows.flatMap(([gap, , , tests = '']) =>
      tests.split('<br>').map((test) => [gap, test] as const),
    );
    const missing = named.filter(
      ([, test]) => !existsSync(join(root, 'test', `${test.slice(1, -1)}.test.ts`)),
    );
    expect(missing).toEqual([]);
  });
});
