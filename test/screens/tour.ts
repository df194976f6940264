import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_OPTIONS } from '../support/browser/browser';
import {
  accessibilityViolations,
  APPEARS_WITHIN_MS,
  load,
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

/** Opens every screen of a hub in turn, or one of them, and looks at it once it is live. */
export async function tour(
  browser: Browser,
  hub: Hub,
  lookAs: Look,
  look: (page: Page, screen: ScreenAddress) => Promise<void>,
  only?: string,
): Promise<void> {
  const page = await enter(browser, hub, lookAs);
  try {
    for (const screen of await everyScreen(hub)) {
      if (only !== undefined && screen.name !== only) continue;
      await load(page, screen.path);
      await look(page, screen);
    }
  } finally {
    await page.context().close();
  }
}

/** Opens the dashboard of a hub in a new context of the browser. */
export async function enter(browser: Browser, hub: Hub, { colorScheme, width }: Look): Promise<Page> {
  const options: BrowserContextOptions = { colorScheme, viewport: { width, height: 900 } };
  const page = await (await browser.newContext({ ...PAGE_OPTIONS, ...options })).newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  await openLoginLink(page, await hub.loginLink());
  return page;
}

/** The accessibility violations and the horizontal overflow of a page. */
export async function findViolations(page: Page): Promise<unknown[]> {
  const found: unknown[] = await accessibilityViolations(page);
  const wider = await horizontalOverflow(page);
  return wider > 0 ? [...found, `${wider} px wider than its window`] : found;
}

/** What `recordLoading` keeps in a page. */
interface LoadingGlobal {
  longestLoadingMs: number;
}

/** Records in pages opened from now on how long their screen is hidden while its data is loaded. */
export const recordLoading = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const recorded = globalThis as unknown as LoadingGlobal;
    recorded.longestLoadingMs = 0;
    let since: number | null = null;
    new MutationObserver(() => {
      const now = performance.now();
      if (document.querySelector('#main [data-loading]') !== null) since ??= now;
      else if (since !== null) {
        recorded.longestLoadingMs = Math.max(recorded.longestLoadingMs, now - since);
        since = null;
      }
    }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-loading'] });
  });

export const longestLoadingMs = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as LoadingGlobal).longestLoadingMs);

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

const MIN_BORDER_CONTRAST = 3;

/** The relative luminance of a colour such as `rgb(22, 24, 29)` (WCAG). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * The fields and boxes whose border stands out too little from what is around them (WCAG 1.4.11), which axe does
 * not check.
 */
export async function faintFields(page: Page): Promise<string[]> {
  const fields = page.locator(
    '.mantine-Input-input, .mantine-Checkbox-input:not(:checked), .mantine-Radio-radio:not(:checked)',
  );
  const found = await fields.evaluateAll((all) =>
    all
      .filter((field) => field.checkVisibility())
      .map((field) => {
        let around = field.parentElement;
        while (around !== null && getComputedStyle(around).backgroundColor === 'rgba(0, 0, 0, 0)')
          around = around.parentElement;
        return {
          html: field.outerHTML.slice(0, 120),
          border: getComputedStyle(field).borderTopColor,
          around: around === null ? 'rgb(255, 255, 255)' : getComputedStyle(around).backgroundColor,
        };
      }),
  );
  return found.flatMap(({ html, border, around }) => {
    const [one, other] = [luminance(border) + 0.05, luminance(around) + 0.05];
    const contrast = Math.max(one, other) / Math.min(one, other);
    return contrast >= MIN_BORDER_CONTRAST ? [] : [`${contrast.toFixed(2)}: ${html}`];
  });
}

/** The texts that are cut off without an ellipsis, and the times that could be broken over two lines. */
export const brokenTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cutOff = [...document.querySelectorAll('main *')].filter((element) => {
      const { overflowX, textOverflow, clipPath } = getComputedStyle(element);
      return (
        overflowX === 'hidden' &&
        textOverflow === 'clip' &&
        clipPath === 'none' &&
        // Hidden texts are a pixel wide, and the thumb of a switch is part of its track.
        element.clientWidth > 1 &&
        !element.matches('.mantine-Switch-track') &&
        element.scrollWidth > element.clientWidth + 1
      );
    });
    const breakable = [...document.querySelectorAll('main time')].filter(
      (time) => getComputedStyle(time).whiteSpace !== 'nowrap',
    );
    return [...cutOff, ...breakable].map((element) => element.outerHTML.slice(0, 120));
  });

/** The elements that move although the page was opened with reduced motion. */
export const movingElements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const moving = [...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
      const all = [transitionDuration, animationName === 'none' ? '0s' : animationDuration];
      return all
        .join()
        .split(',')
        .some((one) => Number.parseFloat(one) > 0.01);
    });
    return [...new Set(moving.map((element) => `${element.tagName}.${element.getAttribute('class')}`))];
  });
