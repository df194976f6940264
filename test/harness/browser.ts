import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { outside } from './outside';

const { chromium }: typeof import('playwright-core') = outside('playwright-core');

const DEBIAN = '/usr/bin/chromium';

/** Not the package's own arguments: they run everything in one process and switch web security off. */
const ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--headless=shell',
  '--disable-gpu',
  '--disable-dev-shm-usage',
];

/**
 * A real Chromium: that of `CHROMIUM_PATH`, Debian's, or else the one that comes inside a package (Linux x64).
 * @throws Error where there is none, saying what to do
 */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: executable(), args: ARGUMENTS, headless: true });
}

function executable(): string {
  const given = process.env['CHROMIUM_PATH'] ?? (existsSync(DEBIAN) ? DEBIAN : null);
  if (given !== null) return given;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The browser tests want a Chromium here: set CHROMIUM_PATH to its executable.');
  }
  // In a process of its own: the package is an ES module of a kind that Jest cannot turn into CommonJS.
  const unpack = `import chromium from '@sparticuz/chromium'; process.stdout.write(await chromium.executablePath());`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', unpack], { encoding: 'utf8' });
}

/** Under LANG=C headless Chromium reports a language that no formatter takes. */
export const PAGE_OPTIONS = { locale: 'en-US', viewport: { width: 1440, height: 900 } } as const;
