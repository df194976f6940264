import { setTimeout as pause } from 'node:timers/promises';
import type { Page, WebSocket } from 'playwright-core';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { findings, hasFocus, live, show, stands } from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { until } from '../support/until';

/** Longer than the page pauses between two attempts to open its socket, or to read what it shows. */
const QUIET_MS = 6_000;
/** How long a slow network keeps an answer. */
const SLOW_MS = 1_500;

let stand: BrowserSession;
let daemon: Daemon;
let page: Page;

beforeAll(async () => {
  stand = await BrowserSession.open();
  ({ daemon } = stand);
});

afterAll(() => stand?.close());

beforeEach(async () => {
  ({ page } = await stand.enter());
});

afterEach(() => page.context().close());

const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' });

/** Ends the session as it is ended from elsewhere: the page keeps its cookie, and is told nothing. */
async function endSession(): Promise<void> {
  const { origin } = new URL(page.url());
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const half = await page.evaluate(() => localStorage.getItem('switchboard-session') ?? '');
  const headers = { cookie, origin, 'x-switchboard-request': half };
  const { status } = await fetch(`${origin}/api/v1/session`, { method: 'DELETE', headers });
  expect(status).toBe(204);
  await stands(dialog());
}

async function signIn(token = daemon.token): Promise<void> {
  await dialog().getByLabel('Admin token').fill(token);
  await page.keyboard.press('Enter');
}

it('is asked for again, and the page asks for nothing else meanwhile', async () => {
  const sockets: WebSocket[] = [];
  page.on('websocket', (socket) => sockets.push(socket));
  await show(page, '/live?type=deal.*');
  await endSession();
  const token = dialog().getByLabel('Admin token');
  await until('it can be typed at once', () => hasFocus(token));
  await page.keyboard.press('Escape');
  expect(await findings(page)).toEqual([]);
  const opened = sockets.length;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const quietSince = Date.now();
  await until('it was quiet for a while', () => Date.now() > quietSince + QUIET_MS, 2 * QUIET_MS);
  expect(asked).toEqual([]);
  expect(sockets).toHaveLength(opened);
  expect(sockets.at(-1)!.isClosed()).toBe(true);
  expect(await dialog().isVisible()).toBe(true);
}, 60_000);

it('leads back to where one was, with what came meanwhile', async () => {
  await show(page, '/live?type=deal.*');
  await endSession();
  await emit(daemon, 'deal.updated', { id: 1, name: 'Sent to a closed door' });
  await signIn('not the token');
  await dialog().getByText('That is not the admin token of this Switchboard.').waitFor();
  await signIn();
  await dialog().waitFor({ state: 'detached' });
  await live(page);
  await page.getByRole('link').filter({ hasText: 'Sent to a closed door' }).waitFor();
  expect(new URL(page.url()).search).toBe('?type=deal.*');
  await emit(daemon, 'deal.updated', { id: 2, name: 'And one more' });
  await page.getByRole('link').filter({ hasText: 'And one more' }).waitFor();
});

it('takes nothing of what was typed', async () => {
  await show(page, '/targets/new');
  await page.getByLabel('Name').fill('half typed');
  await page.getByLabel('Address').fill('http://127.0.0.1:9/hook');
  await endSession();
  await signIn();
  await dialog().waitFor({ state: 'detached' });
  expect(await page.getByLabel('Address').inputValue()).toBe('http://127.0.0.1:9/hook');
  await until('the focus is where it was', () => hasFocus(page.getByLabel('Address')));
  await page.locator('form [type=submit]').click();
  await page.locator('[data-secret]').waitFor();
});

it('is noticed where nothing but a button is pressed, and what was asked is not done', async () => {
  await show(page, '/connection');
  // Without its socket the page is told of nothing.
  await page.route('**/session', (route) => route.abort());
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Check and repair now' }).click();
  await stands(dialog());
  await page.unroute('**/session');
  await page.context().addCookies(cookies);
  // Somebody signed in by a link, in another window: coming back to this one is enough.
  await page.evaluate(() => globalThis.dispatchEvent(new Event('focus')));
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Check and repair now' }).click();
  await page.getByText('Checked. The webhook at Co-Pilot is as expected.').waitFor();
});

it('that one ends by hand is no surprise: the page that asks for the next one comes by itself', async () => {
  await show(page, '/targets');
  await page.evaluate(() => {
    const shown = new MutationObserver(() => {
      if (document.querySelector('[role=dialog]') !== null) document.body.dataset['asked'] = '';
    });
    shown.observe(document.body, { childList: true, subtree: true });
  });
  // The socket ends before the answer is here.
  await page.route('**/api/v1/session', async (route) => {
    const response = await route.fetch();
    await pause(SLOW_MS);
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/sign-in$/);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.locator('body[data-asked]').count()).toBe(0);
});
