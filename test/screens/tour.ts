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
  width: 1920 | 1440 | 390;
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

/** The layout shift of a page since it was opened (Web Vitals). */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const shifts = list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[];
          resolve(shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0));
        }).observe({ type: 'layout-shift', buffered: true });
        // Without a shift the observer is never called.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
      }),
  );

/** The left edge and the width of the content in a window of this width. */
export async function contentEdges(page: Page, width: number): Promise<{ left: number; width: number }> {
  const size = page.viewportSize()!;
  await page.setViewportSize({ ...size, width });
  const edges = await page.locator('#main > *').first().boundingBox();
  await page.setViewportSize(size);
  return { left: edges!.x, width: edges!.width };
}

const MIN_TOUCH_PX = 44;

/** The controls that are too small for a finger. Links in text are exempt, and boxes have a larger invisible area. */
export const smallTouchTargets = (page: Page): Promise<string[]> =>
  page.evaluate((min) => {
    const controls = document.querySelectorAll(
      'button, select, input:not([type=checkbox], [type=radio]), summary',
    );
    return [...controls].flatMap((control) => {
      // The field of a list of tags is inside a larger box.
      const { width, height } = (control.closest('.mantine-Input-input') ?? control).getBoundingClientRect();
      // The bars of a histogram are chosen by dragging over it.
      if (control.closest('fieldset[aria-label^="Time of receipt"]')) return [];
      const isHidden = width <= 1 || height <= 1 || !control.checkVisibility();
      return isHidden || Math.min(width, height) >= min - 0.5
        ? []
        : [`${width} × ${height}: ${control.outerHTML}`];
    });
  }, MIN_TOUCH_PX);
