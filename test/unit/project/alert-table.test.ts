import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODES_WITHOUT_ALERT } from '../../../src/relay/diagnostics/hub-health/draft-issue';
import { ALERT_TYPES } from '../../../src/relay/events/alert';

const root = join(__dirname, '../../..');

/** The rows of the tables of all alerts and other issues, as cells. */
const rows = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[a-z_]+\.[a-z_.]+` /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, type = '', condition = '', after = '', test = '']) => ({ type, condition, after, test }));

describe('the table of all alerts', () => {
  it('has one row for each type of alert, then for each other issue, with its condition and how soon it is told', () => {
    expect(rows.map(({ type }) => type.slice(1, -1))).toEqual([
      ...ALERT_TYPES.toSorted(),
      ...CODES_WITHOUT_ALERT.toSorted(),
    ]);
    expect(rows.filter(({ condition, after }) => condition === '' || after === '')).toEqual([]);
  });

  it('names for each one a test that exists', () => {
    const missing = rows.filter(({ test }) => {
      const [, name, title] = /^`([\w/-]+)`: (.+)$/.exec(test) ?? [];
      // A part of a test file is named like it, without the ending.
      const file = [`${name}.test.ts`, `${name}.ts`].map((one) => join(root, 'test', one)).find(existsSync);
      return title === undefined || file === undefined || !readFileSync(file, 'utf8').includes(title);
    });
    expect(missing).toEqual([]);
  });
});
