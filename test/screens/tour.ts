import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_OPTIONS } from '../support/browser/browser';
import {
  accessibilityViolations,
  waitUntilLive,
  openLoginLink,
  horizontalOverflow,
} from '../support/browser/dashboard';
import { everyScreen, type ScreenAddress } from './every-screen';
import type { Hub } from './hubs';

/** A theme and window width. */
export interface Look {
  colorScheme: 'light' | 'dark';
  width: 1440 | 390;
}

/** Opens every screen of a hub in turn, once it is live. */
export async function tour(
  browser: Browser,
  hub: Hub,
  { colorScheme, width }: Look,
  look: (page: Page, screen: ScreenAddress) => Promise<void>,
): Promise<void> {
  const options: BrowserContextOptions = { colorScheme, viewport: { width, height: 900 } };
  const context = await browser.newContext({ ...PAGE_OPTIONS, ...options });
  try {
    const page = await context.newPage();
    await openLoginLink(page, await hub.loginLink());
    const { origin } = new URL(page.url());
    for (const screen of await everyScreen(hub)) {
      await page.goto(`${origin}${screen.path}`);
      await waitUntilLive(page);
      await look(page, screen);
    }
  } finally {
    await context.close();
  }
}

/** The accessibility violations and the horizontal overflow of a page. */
export async function findViolations(page: Page): Promise<unknown[]> {
  const found: unknown[] = await accessibilityViolations(page);
  const wider = await horizontalOverflow(page);
  return wider > 0 ? [...found, `${wider} px wider than its window`] : found;
}
