import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser/browser';
import { busyHub, type Hub } from '../screens/hubs';
import {
  brokenTexts,
  contentEdges,
  faintFields,
  findViolations,
  layoutShift,
  smallTouchTargets,
  tour,
  type Look,
} from '../screens/tour';

const STARTS_WITHIN_MS = 120_000;
/** Of which Web Vitals rates 0.1 as good. */
const MAX_LAYOUT_SHIFT = 0.05;
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
    'has no accessibility violations, no faint fields, no overflow or broken texts, hardly any layout shift, and touch targets on phones ($colorScheme, $width wide)',
    async (look) => {
      const faults: unknown[] = [];
      const edges = new Map<string, { left: number; width: number }>();
      await tour(browser, hub, look, async (page, { name }) => {
        const shift = await layoutShift(page);
        if (shift >= MAX_LAYOUT_SHIFT) faults.push([name, `layout shift ${shift}`]);
        for (const violation of await findViolations(page)) faults.push([name, violation]);
        for (const fault of [...(await faintFields(page)), ...(await brokenTexts(page))])
          faults.push([name, fault]);
        if (look.width === 390) for (const small of await smallTouchTargets(page)) faults.push([name, small]);
        else edges.set(name, await contentEdges(page, 1920));
      });
      expect(faults).toEqual([]);
      expect(new Set([...edges.values()].map(({ left }) => left)).size).toBeLessThanOrEqual(1);
      expect(Math.max(0, ...[...edges.values()].map(({ width }) => width))).toBeLessThanOrEqual(1440);
    },
    LOOKS_WITHIN_MS,
  );
});
