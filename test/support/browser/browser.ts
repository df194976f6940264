import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/**
 * Used instead of the package's arguments, which run everything in one process and disable web security. Only pages get
 * processes of their own, which saves messages between processes. No page lives long enough to gain from optimized code.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--headless=shell',
  '--disable-gpu',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface',
  '--js-flags=--no-opt --no-maglev',
];

/** An argument of Playwright: Chromium then creates its shared memory as files on a disk. */
const SHARED_MEMORY_ON_DISK = '--disable-dev-shm-usage';

/**
 * Starts the Chromium at `CHROMIUM_PATH`, which Jest's global setup sets if it can.
 * @throws Error if it is not set
 */
export function launchBrowser(): Promise<Browser> {
  if (process.env['CHROMIUM_PATH'] === undefined)
    throw new Error('The browser tests need a Chromium: set CHROMIUM_PATH to its executable.');
  // Containers often have 64 MB of shared memory, and a page without enough of it crashes. Temporary files are there only if
  // it is large.
  const ignoreDefaultArgs = tmpdir().startsWith('/dev/shm/') ? [SHARED_MEMORY_ON_DISK] : [];
  const executablePath = join(__dirname, 'chromium.sh');
  return chromium.launch({ executablePath, args: ARGUMENTS, ignoreDefaultArgs, headless: true });
}

/**
 * With LANG=C, headless Chromium reports a language that `Intl` rejects, so the locale is set. Without reduced motion, an
 * overview that waits draws 60 frames a second, each of which the processor computes.
 */
export const PAGE_OPTIONS = {
  locale: 'en-US',
  viewport: { width: 1440, height: 900 },
  reducedMotion: 'reduce',
} as const;
