import type { Page } from 'playwright-core';

/** More Tab stops than any screen has; reaching it means that the focus is trapped. */
const MAX_STOPS = 400;

/** What the page reports about the focused element. */
interface FocusStop {
  name: string;
  /** Whether the previous element looked different while it had the focus. */
  previousWasMarked: boolean;
  /** Whether it is scrolled into view. */
  isInView: boolean;
  /** Whether the focus has returned to an element that had it before. */
  isRepeated: boolean;
}

/** Adds a function to the page that reports the focused element and whether it is visible. */
function reportFocus(): void {
  // Tab then goes to the first control, also in a page that was not loaded for this screen.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
  const controls = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    ),
  ];
  const stops = new Set<Element>();
  let before: { element: Element; style: string } | null = null;
  const focusReport = {
    /** The style that may show the focus; the frame of a field may belong to a surrounding element. */
    styleOf: (element: Element) =>
      [element, element.parentElement!, element.parentElement!.parentElement ?? element, ...element.children]
        .flatMap((one) => [getComputedStyle(one), getComputedStyle(one, '::after')])
        .map(({ outline, boxShadow, borderColor, backgroundColor, transform }) =>
          [outline, boxShadow, borderColor, backgroundColor, transform].join(),
        )
        .join(';'),
    async stop(): Promise<FocusStop> {
      // Focus styles are rendered with the next frame.
      for (let i = 0; i < 2; i += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
      const element = document.activeElement ?? document.body;
      await Promise.all(element.getAnimations().map(({ finished }) => finished));
      // A datetime field is several Tab stops in one element.
      const isSame = before?.element === element;
      const previousWasMarked =
        before === null ||
        isSame ||
        // A selected row stays highlighted.
        before.element.matches('[data-active]') ||
        !before.element.isConnected ||
        focusReport.styleOf(before.element) !== before.style;
      const { top, left, bottom, right, width, height } = element.getBoundingClientRect();
      const isInView =
        width > 0 && height > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
      const isRepeated = !isSame && (element === document.body || stops.has(element));
      const name = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`;
      stops.add(element);
      before = element === document.body ? null : { element, style: focusReport.styleOf(element) };
      return { name, previousWasMarked, isInView, isRepeated };
    },
    /** The controls that Tab did not reach. Radio buttons are left out: each group is a single stop. */
    missed(): string[] {
      return controls
        .filter(
          (one) =>
            one.tabIndex >= 0 &&
            !one.matches(':disabled, [type=radio]') &&
            one.checkVisibility({ visibilityProperty: true }),
        )
        .filter((one) => one.isConnected && !stops.has(one))
        .map((one) => one.outerHTML.slice(0, 120));
    },
  };
  Object.assign(globalThis, { focusReport });
}

const stop = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { focusReport: { stop: () => Promise<FocusStop> } }).focusReport.stop(),
  );
const missed = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { focusReport: { missed: () => string[] } }).focusReport.missed(),
  );

/**
 * Presses Tab from the start of a page until the focus leaves it again.
 * @returns what is wrong: a first stop other than the link to the content, a focus that is not visible or out of view, one
 * that never leaves, controls that were not reached
 */
export async function walkByTab(page: Page): Promise<unknown[][]> {
  await page.evaluate(reportFocus);
  const faults: unknown[][] = [];
  await page.keyboard.press('Tab');
  let now = await stop(page);
  if (!now.name.includes('Skip to content') || !now.isInView) faults.push(['first', now.name]);
  for (let i = 0, before = now; i < MAX_STOPS && !now.isRepeated; i += 1, before = now) {
    await page.keyboard.press('Tab');
    now = await stop(page);
    if (!now.previousWasMarked) faults.push(['focus not visible', before.name]);
    if (!now.isInView && !now.isRepeated) faults.push(['not scrolled into view', now.name]);
  }
  if (!now.isRepeated) faults.push(['no end']);
  for (const element of await missed(page)) faults.push(['missed', element]);
  return faults;
}
