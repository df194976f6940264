import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { LoginLink } from '../../../src/contract/session';
import { PAGE_OPTIONS } from './browser';
import type { Daemon } from '../daemon/daemon';
import { AxeBuilder } from '@axe-core/playwright';
import { until } from '../until';

/** What a screen shows has to be there after so long, on a machine that is busy. */
export const APPEARS_WITHIN_MS = 20_000;
/** The live socket may have to wait out its pause between two attempts. */
const LIVE_WITHIN_MS = 30_000;

/** The dashboard of a daemon in a context of its own, entered by a login link. */
export async function enter(
  browser: Browser,
  daemon: Daemon,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ ...PAGE_OPTIONS, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  const { body } = await daemon.request('POST', '/login-links');
  const { pathname, search } = new URL((body as LoginLink).url);
  // Where a daemon believes to be reached is not always where it is.
  await openLoginLink(page, `${daemon.url.replace('127.0.0.1', 'localhost')}${pathname}${search}`);
  return { context, page };
}

/** Logs a page in, and waits until it is led on: the link's own page only hands the session over. */
export async function openLoginLink(page: Page, link: string): Promise<void> {
  await page.goto(link, { waitUntil: 'commit' });
  await page.waitForURL(({ pathname }) => pathname !== '/login');
}

/** Opens an address and waits until the page hears of changes. */
export async function show(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await live(page);
}

/** Waits until the page says that it hears of changes. */
export function live(page: Page): Promise<void> {
  const status = page.getByRole('status').filter({ hasText: /^Live$/ });
  return status.waitFor({ timeout: LIVE_WITHIN_MS });
}

/** The same person at the same address in a second page, of another size or colour scheme. */
export async function lookAgain(
  page: Page,
  options: BrowserContextOptions,
  work: (look: Page) => Promise<void>,
): Promise<void> {
  const storageState = await page.context().storageState();
  const context = await page
    .context()
    .browser()!
    .newContext({ ...PAGE_OPTIONS, ...options, storageState });
  try {
    const look = await context.newPage();
    look.setDefaultTimeout(APPEARS_WITHIN_MS);
    await look.goto(page.url());
    await work(look);
  } finally {
    await context.close();
  }
}

/** The link that leads to a screen from everywhere. */
export const way = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });

export const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Presses a button by the keyboard. */
export async function press(button: Locator): Promise<void> {
  await button.focus();
  await button.page().keyboard.press('Enter');
}

export const hasFocus = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element === document.activeElement);

/** Whether the focus is on anything at all. */
export const focusIsOnPage = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement !== null && document.activeElement !== document.body);

/** Waits until a dialog stands: half-way through its fading in, its text has less contrast than it will have. */
export async function stands(dialog: Locator): Promise<void> {
  await dialog.waitFor();
  await until('the dialog stands', () =>
    dialog.evaluate((element) => element.getAnimations({ subtree: true }).length === 0),
  );
}

/** What axe finds against WCAG on a page as it is: the rule, and the first place that breaks it. */
export async function findings(page: Page): Promise<(readonly [rule: string, html: string | undefined])[]> {
  // Neither the list of all that is well nor the second page that it would be judged on: both take longer than the looking.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html] as const);
}

/** By how many pixels the content of a page is wider than its place. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const main = document.querySelector('#main')!;
    return main.scrollWidth - main.clientWidth;
  });
