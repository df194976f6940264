import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { findings, live, openLoginLink, overflow } from '../support/browser/dashboard';
import { everyScreen, type ScreenAddress } from './every-screen';
import type { Hub } from './hubs';

/** How a person looks at the dashboard. */
export interface Look {
  colorScheme: 'light' | 'dark';
  width: 1440 | 390;
}

/** Opens every screen of a hub, one after the other, as it is once it hears of changes. */
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
      await live(page);
      await look(page, screen);
    }
  } finally {
    await context.close();
  }
}

/** What axe finds on a page, and by how much the page is wider than its window. */
export async function findFaults(page: Page): Promise<unknown[]> {
  const found: unknown[] = await findings(page);
  const wider = await overflow(page);
  return wider > 0 ? [...found, `${wider} px wider than its window`] : found;
}
