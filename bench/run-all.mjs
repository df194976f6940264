// Runs every benchmark with its defaults, one after the other, since two at a time would measure each other.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BENCHMARKS = [
  'durable-acks',
  'fair-first-attempts',
  'strict-order',
  'retention-acks',
  'text-search',
  'million-pending',
  'million-replay',
  'attacks',
];

for (const name of BENCHMARKS) {
  console.log(`\n# ${name}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.mjs`)], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error(`${name} failed.`);
    process.exitCode = 1;
  }
}
