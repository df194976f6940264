import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../../src/relay/settings/setting-table';

const root = join(__dirname, '../../..');

/** The rows of the table of settings in a document, as cells. */
function settingsIn(file: string): string[][] {
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .filter((line) => /^\| `[A-Z_]+` /.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const all = Object.entries(SETTINGS).map(([name, setting]) => [
  `\`${name}\``,
  setting.default,
  setting.meaning,
]);

it('docs/settings.md lists all settings with their descriptions', () => {
  expect(settingsIn('docs/settings.md')).toEqual(all);
});

it('the README lists some of them, in the same words', () => {
  const rows = settingsIn('README.md');
  expect(rows.length).toBeGreaterThan(4);
  expect(all).toEqual(expect.arrayContaining(rows));
});

it('.env.example names only settings', () => {
  const names = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^(?:# )?([A-Z_]+)=/gm)];
  expect(names.length).toBeGreaterThan(4);
  expect(names.map(([, name = '']) => name).filter((name) => !(name in SETTINGS))).toEqual([]);
});
