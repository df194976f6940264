import type { Browser, Page } from 'playwright-core';
import type { LoginLink } from '../../src/contract/session';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { APPEARS_WITHIN_MS, live, openLoginLink, show } from '../support/browser/dashboard';
import { Switchboard } from '../support/daemon/switchboard';
import { until } from '../support/until';

const MINUTE_MS = 60_000;
const SESSION_LIFE_MS = 30 * 24 * 60 * MINUTE_MS;

let board: Switchboard;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  board = await Switchboard.start();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await board?.end();
});

beforeEach(async () => {
  const context = await browser.newContext(PAGE_OPTIONS);
  page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  const { json } = await board.ask('/login-links', { method: 'POST' });
  const { pathname, search } = new URL((json as LoginLink).url);
  await openLoginLink(page, `http://localhost:${board.port}${pathname}${search}`);
  await live(page);
});

afterEach(() => page.context().close());

const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' });

/** Signs in again, where the page asks for it. */
async function signIn(): Promise<void> {
  await dialog().getByLabel('Admin token').fill(board.adminToken);
  await page.keyboard.press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await live(page);
}

it('a page that only looks on is asked for another login once its session has run out, and not before', async () => {
  await show(page, '/live');
  board.clock.move(SESSION_LIFE_MS - MINUTE_MS);
  await board.emit('deal.updated', { id: 1, name: 'In the last minute' });
  await page.getByRole('link').filter({ hasText: 'In the last minute' }).waitFor();
  expect(await dialog().count()).toBe(0);
  // Nothing is asked for: the daemon lets go of the socket by itself.
  board.clock.move(MINUTE_MS);
  await dialog().waitFor();
  await board.emit('deal.updated', { id: 2, name: 'Sent to a closed door' });
  await signIn();
  await page.getByRole('link').filter({ hasText: 'Sent to a closed door' }).waitFor();
});

it('what is asked of a session that has run out is not done, and can be done after the next login', async () => {
  await show(page, '/targets/new');
  await page.getByLabel('Name').fill('half typed');
  await page.getByLabel('Address').fill('http://127.0.0.1:9/hook');
  // What the page asks of itself finds no answer: it learns from that to what was pressed.
  await page.route('**/session', (route) => route.abort());
  const targets = async () => ((await board.ask('/targets')).json as { data: unknown[] }).data.length;
  const asked = page.waitForResponse((response) => response.url().endsWith('/api/v1/targets'));
  board.clock.move(SESSION_LIFE_MS);
  await page.locator('form [type=submit]').click();
  expect((await asked).status()).toBe(401);
  await dialog().waitFor();
  await page.unroute('**/session');
  expect(await targets()).toBe(0);
  await signIn();
  expect(await page.getByLabel('Address').inputValue()).toBe('http://127.0.0.1:9/hook');
  await page.locator('form [type=submit]').click();
  await page.locator('[data-secret]').waitFor();
  await until('the target is there', async () => (await targets()) === 1);
});
