import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import type { LoginLink } from '../../../src/contract/session';
import { PAGE_OPTIONS } from './browser';
import type { Daemon } from '../daemon/daemon';
import { AxeBuilder } from '@axe-core/playwright';
import { until } from '../until';

/** Time limit for content to appear on a busy machine, and for the socket to reconnect. */
export const APPEARS_WITHIN_MS = 120_000;

/** Opens the dashboard of a daemon in a new browser context, by a login link. */
export async function openDashboard(
  browser: Browser,
  daemon: Daemon,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ ...PAGE_OPTIONS, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  const { body } = await daemon.request('POST', '/login-links');
  const { pathname, search } = new URL((body as LoginLink).url);
  // The public address of the daemon may differ from its actual one.
  await openLoginLink(page, `${daemon.url.replace('127.0.0.1', 'localhost')}${pathname}${search}`);
  return { context, page };
}

/** Signs in by a login link, and waits for the redirect from its page. */
export async function openLoginLink(page: Page, link: string): Promise<void> {
  await page.goto(link, { waitUntil: 'commit' });
  await page.waitForURL(({ pathname }) => pathname !== '/login');
}

/**
 * Opens a screen as the links of the dashboard do, which takes a fifth of the time of loading the page, and waits until
 * the page is live. The page keeps what it knows.
 */
export async function show(page: Page, path: string): Promise<void> {
  const { href } = new URL(path, page.url());
  if (href === page.url() || (await page.locator('#main').count()) === 0) return load(page, path);
  await navigate(page, path);
  await waitUntilLive(page);
}

/** Loads the page at a path and waits until it is live. */
export async function load(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await waitUntilLive(page);
}

/** The router of the dashboard, which TanStack Router makes global for its developer tools. */
interface RouterGlobal {
  __TSR_ROUTER__: { navigate: (to: { href: string; ignoreBlocker: true }) => Promise<void> };
}

/** Changes the route, without a question about unsaved input, and waits until its screen is loaded and rendered. */
const navigate = (page: Page, path: string): Promise<void> =>
  page.evaluate(async (href) => {
    const { __TSR_ROUTER__: router } = window as unknown as RouterGlobal;
    await router.navigate({ href, ignoreBlocker: true });
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  }, path);

/** Waits until the page is connected to the live socket and shows its first data. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.locator('header [data-state=live]').waitFor();
  await page.locator('[data-loading]').waitFor({ state: 'detached' });
}

/** Holds the matching requests. @returns a function that lets them and all later ones through */
export async function holdRequests(page: Page, url: RegExp): Promise<() => Promise<void>> {
  const held: Route[] = [];
  await page.route(url, (route) => void held.push(route));
  return async () => {
    await page.route(url, (route) => route.continue());
    await Promise.all(held.map((route) => route.continue()));
    await page.unroute(url);
  };
}

/** How a page is shown: its theme, the size of its window. */
export interface Look {
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
}

/** Loads the page again with another theme or size for an action, in which it may leave its screen. */
export async function withLook(
  page: Page,
  { colorScheme = 'light', viewport = PAGE_OPTIONS.viewport }: Look,
  action: () => Promise<void>,
): Promise<void> {
  try {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.reload();
    await action();
  } finally {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PAGE_OPTIONS.viewport);
  }
}

/** Opens the menu of the header. */
export async function openUserMenu(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Preferences, shortcuts and sign out' }).click();
}

/** Chooses a theme, a time zone or the height of rows in the menu of the header. */
export async function prefer(page: Page, option: string): Promise<void> {
  await openUserMenu(page);
  await page.getByRole('banner').getByRole('radio', { name: option, exact: true }).check();
  await page.keyboard.press('Escape');
}

/** A link of the main navigation; its badge is part of its name. */
export const navigationLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: new RegExp(`^${name}(,|$)`) });

export const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Presses a button by the keyboard. A dialog takes the focus only after it has opened, so its buttons are pressed after that. */
export async function press(button: Locator): Promise<void> {
  await until('the dialog of the button has the focus', () =>
    button.evaluate((element) => {
      const dialog = element.closest('[role=dialog]');
      return dialog === null || dialog.contains(document.activeElement);
    }),
  );
  await button.focus();
  await button.page().keyboard.press('Enter');
}

export const hasFocus = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element === document.activeElement);

/** Whether any element has the focus. */
export const focusIsOnPage = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement !== null && document.activeElement !== document.body);

/** Waits until a dialog has faded in; before, its text has less contrast. */
export async function waitUntilOpen(dialog: Locator): Promise<void> {
  await dialog.waitFor();
  await until('the dialog has faded in', () =>
    dialog.evaluate((element) => element.getAnimations({ subtree: true }).length === 0),
  );
}

/**
 * The WCAG violations: each rule with the first element that breaks it.
 * @param within a selector, to check only that part of a page that was checked before
 * @param rules all if missing
 */
export async function accessibilityViolations(
  page: Page,
  within = ':root',
  rules?: string[],
): Promise<(readonly [rule: string, html: string | undefined])[]> {
  // What is loaded again is dimmed meanwhile.
  const loading = page.locator('[aria-busy=true]:visible');
  await until('nothing is being loaded', async () => (await loading.count()) === 0);
  // A document keeps the source of axe, which takes as long to load as many a page to check.
  const axeSource = (await page.evaluate(() => 'axe' in globalThis)) ? ';' : '';
  // Legacy mode avoids a second page, and only violations are listed: both save most of the time.
  const axe = new AxeBuilder({ page, axeSource }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (rules !== undefined) axe.withRules(rules);
  const { violations } = await axe.include(within).analyze();
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html] as const);
}

/** Those in the light theme, and those of contrast in the dark one: all else is the same in both. */
export async function violationsInBothThemes(page: Page, within?: string) {
  const found = await accessibilityViolations(page, within);
  await page.emulateMedia({ colorScheme: 'dark' });
  try {
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    return [...found, ...(await accessibilityViolations(page, within, ['color-contrast']))];
  } finally {
    await page.emulateMedia({ colorScheme: 'light' });
  }
}

/** By how many pixels the content of a page is wider than its container. */
export const horizontalOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const main = document.querySelector('#main')!;
    return main.scrollWidth - main.clientWidth;
  });

/** Where an element is, once it is drawn: one that is being replaced has no place. */
export async function placeOf(
  element: Locator,
): Promise<{ x: number; y: number; width: number; height: number }> {
  let place = await element.boundingBox();
  await until('the element is drawn', async () => (place ??= await element.boundingBox()) !== null);
  return place!;
}
