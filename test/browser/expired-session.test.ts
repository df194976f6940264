import type { Browser, Page } from 'playwright-core';
import { openSession, type LoginLink } from '../../src/contract/session';
import { pageOf } from '../../src/contract/page';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { APPEARS_WITHIN_MS, waitUntilLive, openLoginLink, show } from '../support/browser/dashboard';
import { Switchboard } from '../support/daemon/switchboard';
import { until } from '../support/until';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SESSION_LIFE_MS = 30 * DAY_MS;
/** Less than the 7 days after which an unused session ends. */
const STEP_MS = 6 * DAY_MS;

let switchboard: Switchboard;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  switchboard = await Switchboard.start();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await switchboard?.end();
});

beforeEach(async () => {
  const context = await browser.newContext(PAGE_OPTIONS);
  page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  const { json } = await switchboard.ask('/login-links', { method: 'POST' });
  const { pathname, search } = new URL((json as LoginLink).url);
  await openLoginLink(page, `http://localhost:${switchboard.port}${pathname}${search}`);
  await waitUntilLive(page);
});

afterEach(() => page.context().close());

const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' });

/** Lets days pass while the open page keeps its session in use. */
async function passTime(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    switchboard.clock.move(Math.min(left, STEP_MS));
    await until('the open page has used its session', async () => {
      const { data } = await switchboard.read(pageOf(openSession), '/sessions');
      return switchboard.clock.now() - Date.parse(data[0]!.last_used_at) < DAY_MS;
    });
  }
}

/** Signs in again in the dialog. */
async function signIn(): Promise<void> {
  await dialog().getByLabel('Admin token').fill(switchboard.adminToken);
  await page.keyboard.press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await waitUntilLive(page);
}

it('an idle page asks to sign in again once its session has expired, and not before', async () => {
  await show(page, '/live');
  await passTime(SESSION_LIFE_MS - MINUTE_MS);
  await switchboard.emit('deal.updated', { id: 1, name: 'In the last minute' });
  await page.getByRole('link').filter({ hasText: 'In the last minute' }).waitFor();
  expect(await dialog().count()).toBe(0);
  // The page sends no request: the daemon closes the socket.
  switchboard.clock.move(MINUTE_MS);
  await dialog().waitFor();
  await switchboard.emit('deal.updated', { id: 2, name: 'Sent without a session' });
  await signIn();
  await page.getByRole('link').filter({ hasText: 'Sent without a session' }).waitFor();
});

it('an action in an expired session is not carried out, and works after signing in again', async () => {
  await show(page, '/targets/new');
  await page.getByLabel('Name').fill('partly typed');
  await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/hook');
  // Other requests are blocked, so only the pressed button detects the expiry.
  await page.route('**/api/v1/**', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  const targets = async () => ((await switchboard.ask('/targets')).json as { data: unknown[] }).data.length;
  const creation = page.waitForResponse((response) => response.url().endsWith('/api/v1/targets'));
  switchboard.clock.move(SESSION_LIFE_MS);
  await page.locator('form [type=submit]').click();
  expect((await creation).status()).toBe(401);
  await dialog().waitFor();
  await page.unroute('**/api/v1/**');
  expect(await targets()).toBe(0);
  await signIn();
  expect(await page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('http://127.0.0.1:9/hook');
  await page.locator('form [type=submit]').click();
  await page.locator('[data-secret]').waitFor();
  await until('the target is created', async () => (await targets()) === 1);
});
