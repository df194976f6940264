import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Prints the lines of code in each of these folders, by first-level folder, so that growth is seen. */
const AREAS = ['src', 'ui/src', 'test'];
const CODE = /\.(ts|tsx|css|mts|mjs|cjs)$/;

for (const area of AREAS) {
  const folders = new Map();
  for (const file of readdirSync(area, { recursive: true })) {
    if (!CODE.test(file)) continue;
    const [folder, ...below] = file.split(/[/\\]/);
    const name = below.length > 0 ? folder : '(files)';
    const lines = readFileSync(join(area, file), 'utf8').split('\n').length - 1;
    folders.set(name, (folders.get(name) ?? 0) + lines);
  }
  const sorted = [...folders].sort(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, lines]) => sum + lines, 0);
  process.stdout.write(`${area} ${total}: ${sorted.map(([name, lines]) => `${name} ${lines}`).join(', ')}\n`);
}
