/**
 * Builds a commit in a folder of its own, from its lock file, and writes what is published with a release: the package, OpenAPI
 * document, schema of manifests, licences, SBOM, and `SHA256SUMS` of them. The same commit gives the same files wherever and whenever it
 * is built, with the same versions of Node and npm.
 * Usage: npm run build:release -- <commit or tag> <folder>
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [commit, target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: npm run build:release -- <commit or tag> <folder>');

// The modes of files are part of the package, and what the machine has set decides what is built.
process.umask(0o022);
for (const name of ['NODE_ENV', 'REVISION']) delete process.env[name];
const folder = resolve(target);
const work = mkdtempSync(join(tmpdir(), 'switchboard-release-'));
const source = join(work, 'source');
const run = (cwd, program, ...words) =>
  execFileSync(program, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });

try {
  run('.', 'git', 'clone', '--quiet', '--no-checkout', '.', source);
  run(source, 'git', '-c', 'advice.detachedHead=false', 'checkout', '--quiet', commit);
  run(source, 'npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  mkdirSync(folder, { recursive: true });
  run(source, 'npm', 'run', 'build');
  writeFileSync(join(source, 'dist/openapi.json'), await openApiDocument());
  // A script of the package would build it again, without the document.
  run(source, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
  run(source, 'npm', 'pack', './client', '--pack-destination', folder);
  for (const file of [
    'LICENSE',
    'dist/openapi.json',
    'docs/switchboard.schema.json',
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/sbom.cdx.json',
  ])
    copyFileSync(join(source, file), join(folder, file.split('/').at(-1)));
  writeFileSync(join(folder, 'SHA256SUMS'), checksums());
} finally {
  rmSync(work, { recursive: true });
}

/** As the demo serves it, but for any hub. */
async function openApiDocument() {
  const dataDir = join(work, 'data');
  const demo = spawn(process.execPath, ['dist/main.js', 'demo', '--port', '0', '--data-dir', dataDir], {
    cwd: source,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface(demo.stdout)) {
      const [, origin] = /(http:\/\/localhost:\d+)\/login/.exec(line) ?? [];
      if (origin === undefined) continue;
      const token = readFileSync(join(dataDir, 'demo/admin.token'), 'utf8').trim();
      const headers = { authorization: `Bearer ${token}` };
      const document = await (await fetch(`${origin}/api/v1/openapi.json`, { headers })).json();
      document.servers = [{ url: '{hub}', variables: { hub: { default: 'http://localhost:4000' } } }];
      return `${JSON.stringify(document, null, 1)}\n`;
    }
    throw new Error('The demo of this commit does not start.');
  } finally {
    demo.kill('SIGKILL');
  }
}

/** In the form of `sha256sum --check`. */
function checksums() {
  return readdirSync(folder)
    .filter((name) => name !== 'SHA256SUMS')
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}
