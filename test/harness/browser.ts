import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

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
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await executable(), args: ARGUMENTS, headless: true });
}

async function executable(): Promise<string> {
  const given = process.env['CHROMIUM_PATH'] ?? (existsSync(DEBIAN) ? DEBIAN : null);
  if (given !== null) return given;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The browser tests want a Chromium here: set CHROMIUM_PATH to its executable.');
  }
  const packaged = await import('@sparticuz/chromium');
  return packaged.default.executablePath();
}

/** Under LANG=C headless Chromium reports a language that no formatter takes. */
export const PAGE_OPTIONS = { locale: 'en-US', viewport: { width: 1440, height: 900 } } as const;
