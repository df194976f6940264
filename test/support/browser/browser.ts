import { chromium, type Browser } from 'playwright-core';

/** Not the package's own arguments: they run everything in one process and switch web security off. */
const ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--headless=shell',
  '--disable-gpu',
  '--disable-dev-shm-usage',
];

/**
 * A real Chromium: that of `CHROMIUM_PATH`, which the global setup fills in where it can.
 * @throws Error where there is none, saying what to do
 */
export function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined)
    throw new Error('The browser tests want a Chromium here: set CHROMIUM_PATH to its executable.');
  return chromium.launch({ executablePath, args: ARGUMENTS, headless: true });
}

/** Under LANG=C headless Chromium reports a language that no formatter takes. */
export const PAGE_OPTIONS = { locale: 'en-US', viewport: { width: 1440, height: 900 } } as const;
