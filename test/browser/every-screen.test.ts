import type { Browser, Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { ReplaySummary } from '../../src/contract/replay';
import type { Stats } from '../../src/contract/stats';
import type { Target } from '../../src/contract/target';
import { launchBrowser } from '../support/browser/browser';
import { hasFocus, load, show, waitUntilOpen } from '../support/browser/dashboard';
import { walkByTab } from '../support/browser/focus-walk';
import { until } from '../support/until';
import { everyScreen, SCREEN_NAMES, type ScreenAddress } from '../screens/every-screen';
import { busyHub, type Hub } from '../screens/hubs';
import {
  brokenTexts,
  contentEdges,
  enter,
  faintFields,
  findViolations,
  layoutShift,
  longestLoadingMs,
  movingElements,
  recordLoading,
  smallTouchTargets,
  type Look,
} from '../screens/tour';

/** Of which Web Vitals rates 0.1 as good. */
const MAX_LAYOUT_SHIFT = 0.05;
/** A screen that is still loading is shown then, and may move; on a busy machine it is opened again. */
const PLACEHOLDERS_AFTER_MS = 3_000;
/** `npm run screens` covers all combinations, and also an empty and a broken hub. */
const LOOKS: Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
];
/** How many are sent while announcements are counted, in about five seconds. */
const EVENTS = 20;
const QUIET_MS = 2_000;

let browser: Browser;
let hub: Hub;
let screens: ScreenAddress[];
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  hub = await busyHub();
  await until('it has data for every screen', async () => {
    screens = await everyScreen(hub);
    return screens.length === SCREEN_NAMES.length;
  });
  page = await enter(browser, hub, LOOKS[0]!);
});

afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

async function open(path: string): Promise<void> {
  await show(page, path);
  await until(
    'nothing is being loaded',
    async () => (await page.locator('main [aria-busy=true]').count()) === 0,
  );
}

const pathOf = (name: string) => screens.find((screen) => screen.name === name)!.path;

describe.each(LOOKS)('every screen of a busy hub, $colorScheme, $width wide', (look) => {
  let shown: Page;
  beforeAll(async () => {
    shown = await enter(browser, hub, look);
    await recordLoading(shown);
  });
  afterAll(() => shown?.context().close());

  it.each(SCREEN_NAMES)(
    '%s has no accessibility violations, no faint fields, no overflow or broken texts, no motion, hardly any layout shift, and touch targets on phones',
    async (name) => {
      await until('it is shown with its data', async () => {
        await load(shown, pathOf(name));
        return (await longestLoadingMs(shown)) < PLACEHOLDERS_AFTER_MS;
      });
      const shift = await layoutShift(shown);
      const faults = await findViolations(shown);
      if (shift >= MAX_LAYOUT_SHIFT) faults.push(`layout shift ${shift}`);
      for (const find of [faintFields, brokenTexts, movingElements]) faults.push(...(await find(shown)));
      if (look.width === 390) faults.push(...(await smallTouchTargets(shown)));
      expect(faults).toEqual([]);
    },
  );
});

describe('every screen of a hub without traffic', () => {
  let resumeTraffic: () => Promise<void>;
  let usualLeft: number | null = null;
  beforeAll(async () => (resumeTraffic = await stopTraffic()));
  afterAll(() => resumeTraffic?.());

  it.each(SCREEN_NAMES)(
    '%s has controls that Tab reaches, visibly focused and scrolled into view, and leaves again, and content as wide as other screens',
    async (name) => {
      await open(pathOf(name));
      expect(await walkByTab(page)).toEqual([]);
      const { left, width } = await contentEdges(page, 1920);
      usualLeft ??= left;
      expect(left).toBe(usualLeft);
      expect(width).toBeLessThanOrEqual(1680);
    },
  );
});

it('the first Tab stop skips the navigation', async () => {
  await load(page, '/settings');
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

const lastSeq = async () => (await hub.ask<Stats>('GET', '/stats')).last_seq;

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
  const before = await lastSeq();
  await until('events have arrived', async () => (await lastSeq()) >= before + EVENTS);
  const announced = await page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
  // Some announcements are expected, of changed states.
  expect(new Set(announced).size).toBeLessThan(EVENTS / 2);
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
