import type { Browser, Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { ReplaySummary } from '../../src/contract/replay';
import type { Stats } from '../../src/contract/stats';
import type { Target } from '../../src/contract/target';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import {
  APPEARS_WITHIN_MS,
  hasFocus,
  waitUntilLive,
  openLoginLink,
  waitUntilOpen,
} from '../support/browser/dashboard';
import { until } from '../support/until';
import { everyScreen, type ScreenAddress } from '../screens/every-screen';
import { busyHub, type Hub } from '../screens/hubs';

const STARTS_WITHIN_MS = 120_000;
const WALK_TIMEOUT_MS = 400_000;
/** More Tab stops than any screen has; reaching it means that the focus is trapped. */
const MAX_STOPS = 400;
const OBSERVED_MS = 5_000;
const QUIET_MS = 2_000;

let browser: Browser;
let hub: Hub;
let page: Page;
let origin: string;
let screens: ScreenAddress[];

beforeAll(async () => {
  browser = await launchBrowser();
  hub = await busyHub();
  const context = await browser.newContext(PAGE_OPTIONS);
  page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  await openLoginLink(page, await hub.loginLink());
  ({ origin } = new URL(page.url()));
  screens = await everyScreen(hub);
}, STARTS_WITHIN_MS);

afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

/** @returns whether the replay was paused; it may have finished meanwhile */
async function pauseReplay(id: string): Promise<boolean> {
  try {
    await hub.ask('POST', `/replays/${id}/pause`);
    return true;
  } catch (error) {
    if (String(error).includes('"replay_ended"')) return false;
    throw error;
  }
}

/** Stops all traffic, so that no list changes during the test. @returns a function that resumes it */
async function stopTraffic(): Promise<() => Promise<void>> {
  const { data: replays } = await hub.ask<ListPage<ReplaySummary>>('GET', '/replays');
  const { data: targets } = await hub.ask<ListPage<Target>>('GET', '/targets');
  const paused = targets.filter((target) => target.paused === null).map(({ id }) => `/targets/${id}`);
  await hub.ask('PATCH', '/sandbox/traffic', { is_paused: true });
  for (const path of paused) await hub.ask('POST', `${path}/pause`);
  for (const { id } of replays.filter(({ state }) => state === 'running'))
    if (await pauseReplay(id)) paused.push(`/replays/${id}`);
  const state = () =>
    hub.ask<Stats>('GET', '/stats').then(({ last_seq: last, received }) => [last, received]);
  let before: unknown;
  let since = Date.now();
  await until('nothing has happened for a while', async () => {
    const now = JSON.stringify(await state());
    if (now !== before) since = Date.now();
    before = now;
    return Date.now() > since + QUIET_MS;
  });
  return async () => {
    for (const path of paused) await hub.ask('POST', `${path}/resume`);
    await hub.ask('PATCH', '/sandbox/traffic', { is_paused: false });
  };
}

async function open(path: string): Promise<void> {
  await page.goto(`${origin}${path}`);
  await waitUntilLive(page);
  await until(
    'nothing is being loaded',
    async () => (await page.locator('main [aria-busy=true]').count()) === 0,
  );
  await page.evaluate(reportFocus);
}

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

const stop = () =>
  page.evaluate(() =>
    (globalThis as unknown as { focusReport: { stop: () => Promise<FocusStop> } }).focusReport.stop(),
  );
const missed = () =>
  page.evaluate(() =>
    (globalThis as unknown as { focusReport: { missed: () => string[] } }).focusReport.missed(),
  );

it(
  'Tab reaches every control of every screen, visibly focused and scrolled into view, and leaves it again',
  async () => {
    const failures: unknown[] = [];
    const resumeTraffic = await stopTraffic();
    try {
      for (const { name: screen, path } of screens) {
        await open(path);
        await page.keyboard.press('Tab');
        let now = await stop();
        if (!now.name.includes('Skip to content') || !now.isInView)
          failures.push([screen, 'first', now.name]);
        for (let i = 0, before = now; i < MAX_STOPS && !now.isRepeated; i += 1, before = now) {
          await page.keyboard.press('Tab');
          now = await stop();
          if (!now.previousWasMarked) failures.push([screen, 'focus not visible', before.name]);
          if (!now.isInView && !now.isRepeated) failures.push([screen, 'not scrolled into view', now.name]);
        }
        if (!now.isRepeated) failures.push([screen, 'no end']);
        for (const element of await missed()) failures.push([screen, 'missed', element]);
      }
    } finally {
      await resumeTraffic();
    }
    expect(failures).toEqual([]);
  },
  WALK_TIMEOUT_MS,
);

it('the first Tab stop skips the navigation', async () => {
  await open('/settings');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await until('the screen has the focus', () => hasFocus(page.locator('#main')));
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
});

it('a dialog traps the focus until it closes, and then restores it', async () => {
  await open('/connection');
  const rotate = page.getByRole('button', { name: 'Rotate' });
  await rotate.focus();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await waitUntilOpen(dialog);
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press(i % 4 === 3 ? 'Shift+Tab' : 'Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await until('the button has the focus again', () => hasFocus(rotate));
});

it(
  'there is no motion if reduced motion is preferred',
  async () => {
    const animated: unknown[] = [];
    for (const { name, path } of screens) {
      await open(path);
      const found = await page.evaluate(() =>
        [...document.querySelectorAll('*')]
          .filter((element) => {
            const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
            const all = [transitionDuration, animationName === 'none' ? '0s' : animationDuration];
            return all
              .join()
              .split(',')
              .some((one) => Number.parseFloat(one) > 0.01);
          })
          .map((element) => `${element.tagName}.${element.getAttribute('class')}`),
      );
      if (found.length > 0) animated.push([name, [...new Set(found)]]);
    }
    expect(animated).toEqual([]);
  },
  WALK_TIMEOUT_MS,
);

it.each(['/', '/live', '/events'])('%s does not announce every new event', async (path) => {
  await open(path);
  await page.evaluate(() => {
    const announced: string[] = [];
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest(
          '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log], output',
        );
        if (region) announced.push(region.textContent);
      }
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    Object.assign(globalThis, { announced });
  });
  const { last_seq: before } = await hub.ask<{ last_seq: number }>('GET', '/stats');
  const since = Date.now();
  await until('events have arrived', () => Date.now() > since + OBSERVED_MS, 2 * OBSERVED_MS);
  const { last_seq: after } = await hub.ask<{ last_seq: number }>('GET', '/stats');
  const events = after - before;
  expect(events).toBeGreaterThan(5);
  const announced = await page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
  // Some announcements are expected, of changed states.
  expect(new Set(announced).size).toBeLessThan(events / 2);
});
