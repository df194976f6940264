import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser/browser';
import { brokenHub, busyHub, emptyHub } from './hubs';
import { findViolations, tour, type Look } from './tour';

/** Output folder, with one subfolder per hub. */
const FOLDER = resolve(process.env['PICTURES'] ?? 'pictures');
const LOOKS: Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 1920 },
  { colorScheme: 'dark', width: 1920 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 390 },
];
const SETTLES_WITHIN_MS = 2_000;
const WITHIN_MS = 900_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe('every screen, in both themes, wide and narrow, has no accessibility violations', () => {
  it.each([
    ['busy', busyHub],
    ['empty', emptyHub],
    ['broken', brokenHub],
  ])(
    'of a hub that is %s',
    async (state, start) => {
      const hub = await start();
      const found: unknown[] = [];
      try {
        mkdirSync(join(FOLDER, state), { recursive: true });
        for (const look of LOOKS) {
          await tour(browser, hub, look, async (page, { name }) => {
            // Wait for lazy parts such as the chart, but not for long: a hub with traffic never becomes idle.
            await page.waitForLoadState('networkidle', { timeout: SETTLES_WITHIN_MS }).catch(() => undefined);
            await page.locator('[data-loading]').waitFor({ state: 'detached' });
            const file = `${name}-${look.colorScheme}-${look.width}.png`;
            await page.screenshot({ path: join(FOLDER, state, file) });
            // The widest window shows the same elements as the one before.
            if (look.width === 1920) return;
            for (const fault of await findViolations(page)) found.push([file, fault]);
          });
        }
      } finally {
        await hub.close();
      }
      expect(found).toEqual([]);
    },
    WITHIN_MS,
  );
});
