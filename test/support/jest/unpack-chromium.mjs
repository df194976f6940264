import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = '@sparticuz/chromium';
const DEBIAN = '/usr/bin/chromium';

/**
 * Jest's global setup: one process unpacks the browser that comes inside a package, before any worker starts, and all of
 * them find it in `CHROMIUM_PATH`. Each unpacking it for itself into the same folder would execute what another still writes.
 */
export default function unpackChromium() {
  const given = process.env.CHROMIUM_PATH ?? (existsSync(DEBIAN) ? DEBIAN : null);
  if (given !== null) process.env.CHROMIUM_PATH = given;
  else if (process.platform === 'linux' && process.arch === 'x64') process.env.CHROMIUM_PATH = unpacked();
}

/** Kept with the installed packages. Moved into place whole: what an interrupted run left half done is never used. */
function unpacked() {
  const manifest = createRequire(import.meta.url)
    .resolve(PACKAGE)
    .replace(/(chromium)\/build\/.*$/, '$1/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const folder = join(dirname(manifest), '../../.cache', `chromium-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const half = mkdtempSync(`${folder}-`);
    const unpack = `import chromium from '${PACKAGE}'; await chromium.executablePath();`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', unpack], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: half },
    });
    try {
      renameSync(half, folder);
    } catch (error) {
      // Another run was faster.
      rmSync(half, { recursive: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, 'chromium');
}
