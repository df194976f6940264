import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser/browser';
import { busyHub, type Hub } from '../screens/hubs';
import { findViolations, tour, type Look } from '../screens/tour';

const STARTS_WITHIN_MS = 120_000;
const LOOKS_WITHIN_MS = 240_000;
/** `npm run screens` covers all combinations, and also an empty and a broken hub. */
const LOOKS: Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
];

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  browser = await launchBrowser();
  hub = await busyHub();
}, STARTS_WITHIN_MS);
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

describe('every screen of a busy hub', () => {
  it.each(LOOKS)(
    'has no accessibility violations and no horizontal overflow ($colorScheme, $width wide)',
    async (look) => {
      const violations: unknown[] = [];
      await tour(browser, hub, look, async (page, { name }) => {
        for (const violation of await findViolations(page)) violations.push([name, violation]);
      });
      expect(violations).toEqual([]);
    },
    LOOKS_WITHIN_MS,
  );
});
