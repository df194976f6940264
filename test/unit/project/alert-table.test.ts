import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALERT_TYPES } from '../../../src/relay/events/alert-types';

const root = join(__dirname, '../../..');

/** The rows of the table of all alerts, as cells. */
const rows = readFileSync(join(root, 'docs/alerts.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `relay.'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, type = '', condition = '', after = '', test = '']) => ({ type, condition, after, test }));

describe('the table of all alerts', () => {
  it('has one row for each type of alert, in order, with what raises it and how soon', () => {
    expect(rows.map(({ type }) => type.slice(1, -1))).toEqual(ALERT_TYPES.toSorted());
    expect(rows.filter(({ condition, after }) => condition === '' || after === '')).toEqual([]);
  });

  it('names for each one a test that exists', () => {
    const missing = rows.filter(({ test }) => {
      const [, name, title] = /^`([\w/-]+)`: (.+)$/.exec(test) ?? [];
      const file = join(root, 'test', `${name}.test.ts`);
      return title === undefined || !existsSync(file) || !readFileSync(file, 'utf8').includes(title);
    });
    expect(missing).toEqual([]);
  });
});
