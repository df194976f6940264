import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = '@sparticuz/chromium';
const DEBIAN = '/usr/bin/chromium';

/**
 * Jest's global setup: unpacks the packaged browser once, before any worker starts, and sets `CHROMIUM_PATH`. If every
 * worker unpacked it into the same folder, one could execute a file that another still writes.
 */
export default function unpackChromium() {
  const given = process.env.CHROMIUM_PATH ?? (existsSync(DEBIAN) ? DEBIAN : null);
  if (given !== null) process.env.CHROMIUM_PATH = given;
  else if (process.platform === 'linux' && process.arch === 'x64') process.env.CHROMIUM_PATH = unpacked();
}

/** Stored beside the installed packages, and moved into place when complete, so an interrupted run leaves nothing partial. */
function unpacked() {
  const manifest = createRequire(import.meta.url)
    .resolve(PACKAGE)
    .replace(/(chromium)\/build\/.*$/, '$1/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const folder = join(dirname(manifest), '../../.cache', `chromium-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const partial = mkdtempSync(`${folder}-`);
    const unpack = `import chromium from '${PACKAGE}'; await chromium.executablePath();`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', unpack], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: partial },
    });
    try {
      renameSync(partial, folder);
    } catch (error) {
      // Another run was faster.
      rmSync(partial, { recursive: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, 'chromium');
}
