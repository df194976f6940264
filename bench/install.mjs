// The size of a production installation (`npm ci --omit=dev`), computed from the lock file and the installed packages, so
// that it needs no network and includes what install scripts have built. Counts disk blocks, each file once.
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './harness/report.mjs';

const ROOT = join(import.meta.dirname, '..');
const BLOCK_BYTES = 512;
const LARGEST = 8;
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

const sizes = [];
const absent = [];
for (const [path, { dev, link }] of Object.entries(packages)) {
  if (path === '' || dev || link) continue;
  const bytes = sizeOf(join(ROOT, path));
  if (bytes === null) absent.push(path);
  else sizes.push({ path, mib: bytes / 2 ** 20 });
}
sizes.sort((one, other) => other.mib - one.mib);
const installed = sizes.reduce((sum, { mib }) => sum + mib, 0);
const build = (sizeOf(join(ROOT, 'dist')) ?? 0) / 2 ** 20;
report({
  settings: { 'computed from': 'package-lock.json and node_modules' },
  rows: [
    { name: 'production packages', unit: 'packages', values: [sizes.length] },
    { name: 'their size', unit: 'MiB', values: [installed], digits: 1 },
    { name: 'the build (dist)', unit: 'MiB', values: [build], digits: 1 },
  ],
  notes: [
    `Largest: ${sizes
      .slice(0, LARGEST)
      .map(({ path, mib }) => `${path.replace(/^.*node_modules\//, '')} ${mib.toFixed(1)}`)
      .join(', ')} MiB.`,
    `Not installed on this platform: ${absent.length} optional packages.`,
  ],
  data: { packages: sizes },
});

/** Bytes on disk without nested packages, which the lock file lists themselves; null if it does not exist. */
function sizeOf(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
  let bytes = lstatSync(folder).blocks * BLOCK_BYTES;
  for (const entry of entries) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? sizeOf(path) : lstatSync(path).blocks * BLOCK_BYTES;
  }
  return bytes;
}
