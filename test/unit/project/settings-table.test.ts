import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../../src/relay/settings/setting-table';

const root = join(__dirname, '../../..');

it('the README lists all settings with their descriptions', () => {
  const section = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n## Settings\n')[1]!
    .split('\n## ')[0]!;
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(
    Object.entries(SETTINGS).map(([name, setting]) => [`\`${name}\``, setting.default, setting.meaning]),
  );
});

it('.env.example names only settings', () => {
  const names = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^(?:# )?([A-Z_]+)=/gm)];
  expect(names.length).toBeGreaterThan(4);
  expect(names.map(([, name = '']) => name).filter((name) => !(name in SETTINGS))).toEqual([]);
});
