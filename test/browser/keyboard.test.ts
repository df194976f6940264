import type { Browser, Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { ReplayPlan } from '../../src/contract/replay';
import type { Stats } from '../../src/contract/stats';
import type { Target } from '../../src/contract/target';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { APPEARS_WITHIN_MS, hasFocus, live, openLoginLink, stands } from '../support/browser/dashboard';
import { until } from '../support/until';
import { everyScreen, type ScreenAddress } from '../screens/every-screen';
import { busyHub, type Hub } from '../screens/hubs';

const STARTS_WITHIN_MS = 120_000;
const WALKS_WITHIN_MS = 400_000;
/** More stops than any screen has; whoever has not come around by then is caught. */
const MOST_STOPS = 400;
const LISTENS_MS = 5_000;
const QUIET_MS = 2_000;

let browser: Browser;
let hub: Hub;
let page: Page;
let origin: string;
let screens: ScreenAddress[];

beforeAll(async () => {
  browser = await launchBrowser();
  hub = await busyHub();
  const context = await browser.newContext({ ...PAGE_OPTIONS, reducedMotion: 'reduce' });
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

/** Answers whether it was paused: it may have come to its end meanwhile. */
async function pauseReplay(id: string): Promise<boolean> {
  try {
    await hub.ask('POST', `/replays/${id}/pause`);
    return true;
  } catch (error) {
    if (String(error).includes('"replay_ended"')) return false;
    throw error;
  }
}

/** Lets nothing come in and nothing go out, so that no list gets a row behind the keyboard. @returns what lets it go on */
async function standStill(): Promise<() => Promise<void>> {
  const { data: replays } = await hub.ask<ListPage<ReplayPlan>>('GET', '/replays');
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
  await live(page);
  await until(
    'nothing is being loaded',
    async () => (await page.locator('main [aria-busy=true]').count()) === 0,
  );
  await page.evaluate(lookAtFocus);
}

/** What the page has to tell of the place that the keyboard is at. */
interface Stop {
  name: string;
  /** Whether the one before looked another way while it had the focus. */
  beforeWasMarked: boolean;
  inSight: boolean;
  around: boolean;
}

/** Gives the page a way to tell where the keyboard is, and whether that can be seen. */
function lookAtFocus(): void {
  const there = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    ),
  ];
  const stops = new Set<Element>();
  let before: { element: Element; look: string } | null = null;
  const told = {
    /** A field's frame may belong to what is around it. */
    lookOf: (element: Element) =>
      [element, element.parentElement!, element.parentElement!.parentElement ?? element, ...element.children]
        .flatMap((one) => [getComputedStyle(one), getComputedStyle(one, '::after')])
        .map(({ outline, boxShadow, borderColor, backgroundColor, transform }) =>
          [outline, boxShadow, borderColor, backgroundColor, transform].join(),
        )
        .join(';'),
    async stop(): Promise<Stop> {
      // What changes with the focus is drawn with the next frame.
      for (let i = 0; i < 2; i += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
      const element = document.activeElement ?? document.body;
      await Promise.all(element.getAnimations().map(({ finished }) => finished));
      // A field for a time has several stops in itself.
      const isSame = before?.element === element;
      const beforeWasMarked =
        before === null ||
        isSame ||
        // A row that is chosen stays marked.
        before.element.matches('[data-active]') ||
        !before.element.isConnected ||
        told.lookOf(before.element) !== before.look;
      const { top, left, bottom, right, width, height } = element.getBoundingClientRect();
      const inSight =
        width > 0 && height > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
      const around = !isSame && (element === document.body || stops.has(element));
      const name = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`;
      stops.add(element);
      before = element === document.body ? null : { element, look: told.lookOf(element) };
      return { name, beforeWasMarked, inSight, around };
    },
    /** What can be used and was not come by. Of radios one is a stop for all. */
    missed(): string[] {
      return there
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
  Object.assign(globalThis, { told });
}

const stop = () =>
  page.evaluate(() => (globalThis as unknown as { told: { stop: () => Promise<Stop> } }).told.stop());
const missed = () =>
  page.evaluate(() => (globalThis as unknown as { told: { missed: () => string[] } }).told.missed());

it(
  'every screen is gone through by Tab alone: all of it is come by, marked, in sight, and left again',
  async () => {
    const faults: unknown[] = [];
    const goOn = await standStill();
    try {
      for (const { name: screen, path } of screens) {
        await open(path);
        await page.keyboard.press('Tab');
        let now = await stop();
        if (!now.name.includes('Skip to content') || !now.inSight) faults.push([screen, 'first', now.name]);
        for (let i = 0, before = now; i < MOST_STOPS && !now.around; i += 1, before = now) {
          await page.keyboard.press('Tab');
          now = await stop();
          if (!now.beforeWasMarked) faults.push([screen, 'not marked', before.name]);
          if (!now.inSight && !now.around) faults.push([screen, 'out of sight', now.name]);
        }
        if (!now.around) faults.push([screen, 'no end']);
        for (const element of await missed()) faults.push([screen, 'missed', element]);
      }
    } finally {
      await goOn();
    }
    expect(faults).toEqual([]);
  },
  WALKS_WITHIN_MS,
);

it('the first stop leads past the navigation', async () => {
  await open('/settings');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await until('the screen has the focus', () => hasFocus(page.locator('#main')));
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
});

it('a dialog keeps the keyboard until it is left, and gives it back to where it was', async () => {
  await open('/connection');
  const rotate = page.getByRole('button', { name: 'Rotate' });
  await rotate.focus();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await stands(dialog);
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press(i % 4 === 3 ? 'Shift+Tab' : 'Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await until('the button has the focus again', () => hasFocus(rotate));
});

it(
  'who wants less motion gets none',
  async () => {
    const moving: unknown[] = [];
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
      if (found.length > 0) moving.push([name, [...new Set(found)]]);
    }
    expect(moving).toEqual([]);
  },
  WALKS_WITHIN_MS,
);

it.each(['/', '/live', '/events'])('%s does not announce every event that comes', async (path) => {
  await open(path);
  await page.evaluate(() => {
    const announced: string[] = [];
    const heard = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest(
          '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log], output',
        );
        if (region) announced.push(region.textContent);
      }
    });
    heard.observe(document.body, { childList: true, subtree: true, characterData: true });
    Object.assign(globalThis, { announced });
  });
  const { last_seq: before } = await hub.ask<{ last_seq: number }>('GET', '/stats');
  const since = Date.now();
  await until('events came', () => Date.now() > since + LISTENS_MS, 2 * LISTENS_MS);
  const { last_seq: after } = await hub.ask<{ last_seq: number }>('GET', '/stats');
  const events = after - before;
  expect(events).toBeGreaterThan(5);
  const announced = await page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
  // A state that changes meanwhile is.
  expect(new Set(announced).size).toBeLessThan(events / 2);
});
