import type { Browser, Page } from 'playwright-core';
import { PAGE_OPTIONS } from '../harness/browser';
import { everyScreen, type ScreenAddress } from './every-screen';
import type { Hub } from './hubs';

/** How a person looks at the dashboard. */
export interface Look {
  colorScheme: 'light' | 'dark';
  width: 1440 | 390;
}

/** Every way to look at it. */
export const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 390 },
];

/** A login at this hub, for as many tours as are made. */
export async function logIn(browser: Browser, { loginLink }: Hub) {
  const context = await browser.newContext(PAGE_OPTIONS);
  await (await context.newPage()).goto(loginLink);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Opens every screen of a hub, one after the other, as it is once it is live. */
export async function tour(
  browser: Browser,
  hub: Hub,
  login: Awaited<ReturnType<typeof logIn>>,
  { colorScheme, width }: Look,
  look: (page: Page, screen: ScreenAddress) => Promise<void>,
): Promise<void> {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ ...PAGE_OPTIONS, colorScheme, viewport, storageState: login });
  try {
    const page = await context.newPage();
    for (const screen of await everyScreen(hub)) {
      await page.goto(new URL(screen.path, hub.loginLink).href);
      await page
        .getByRole('status')
        .filter({ hasText: /^Live$/ })
        .waitFor();
      await look(page, screen);
    }
  } finally {
    await context.close();
  }
}
