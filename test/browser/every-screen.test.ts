import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser/browser';
import { busyHub, type Hub } from '../screens/hubs';
import { findFaults, tour, type Look } from '../screens/tour';

const STARTS_WITHIN_MS = 120_000;
const LOOKS_WITHIN_MS = 240_000;
/** `npm run screens` looks in every way, and at a hub that is empty or broken too. */
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
    'has nothing that axe finds, and fits its window ($colorScheme, $width wide)',
    async (look) => {
      const found: unknown[] = [];
      await tour(browser, hub, look, async (page, { name }) => {
        for (const fault of await findFaults(page)) found.push([name, fault]);
      });
      expect(found).toEqual([]);
    },
    LOOKS_WITHIN_MS,
  );
});
