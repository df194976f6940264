import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'playwright-core';
import type { HubHealth } from '../../../src/contract/health';
import {
  accessibilityViolations,
  hasFocus,
  load,
  openUserMenu,
  waitUntilLive,
  show,
  waitUntilOpen,
} from '../../support/browser/dashboard';
import { emit } from '../../support/daemon/emit';
import { until } from '../../support/until';
import { daemon, page } from './hub';

/** Longer than the page waits between two reconnects or polls. */
const QUIET_MS = 6_000;
/** How long a slow network delays a response. */
const SLOW_MS = 1_500;

const CRITICAL: HubHealth = {
  ok: false,
  issues: [
    {
      id: 'storage.low',
      code: 'storage.low',
      severity: 'critical',
      sentence: 'The disk is nearly full.',
      remedy: null,
      count: null,
      since: null,
      target_id: null,
      target_name: null,
      event_id: null,
      deliberate: false,
      snoozed: null,
    },
  ],
};

const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' });

const icon = (path: string) => page.locator(`link[rel=icon][href="${path}"]`);

/** Ends the session from elsewhere: the page keeps its cookie and is not notified. */
async function endSession(): Promise<void> {
  const { origin } = new URL(page.url());
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const secret = await page.evaluate(() => localStorage.getItem('switchboard-session') ?? '');
  const headers = { cookie, origin, 'x-switchboard-request': secret };
  const { status } = await fetch(`${origin}/api/v1/session`, { method: 'DELETE', headers });
  expect(status).toBe(204);
  await waitUntilOpen(dialog());
}

async function signIn(token = daemon.token): Promise<void> {
  await dialog().getByLabel('Admin token').fill(token);
  await page.keyboard.press('Enter');
}

export function endedSession(): void {
  it('asks to sign in again, and sends no other requests meanwhile', async () => {
    const sockets: WebSocket[] = [];
    page.on('websocket', (socket) => sockets.push(socket));
    await load(page, '/live?type=deal.*');
    await endSession();
    const token = dialog().getByLabel('Admin token');
    await until('the token can be typed immediately', () => hasFocus(token));
    await dialog().getByText('Switchboard', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await accessibilityViolations(page)).toEqual([]);
    const openedSockets = sockets.length;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const quietSince = Date.now();
    await until(
      'several reconnects or polls would have happened',
      () => Date.now() > quietSince + QUIET_MS,
      2 * QUIET_MS,
    );
    expect(requests).toEqual([]);
    expect(sockets).toHaveLength(openedSockets);
    expect(sockets.at(-1)!.isClosed()).toBe(true);
    expect(await dialog().isVisible()).toBe(true);
    await signIn();
    await dialog().waitFor({ state: 'detached' });
  });

  it('returns to the same screen, with the events that arrived meanwhile', async () => {
    await show(page, '/live?type=deal.*');
    await endSession();
    await emit(daemon, 'deal.updated', { id: 1, name: 'Sent without a session' });
    await signIn('not the token');
    await dialog()
      .getByText('That is not the admin token of this Switchboard. API tokens do not sign in here.')
      .waitFor();
    await signIn();
    await dialog().waitFor({ state: 'detached' });
    await waitUntilLive(page);
    await page.getByRole('link').filter({ hasText: 'Sent without a session' }).waitFor();
    expect(new URL(page.url()).search).toBe('?type=deal.*');
    await emit(daemon, 'deal.updated', { id: 2, name: 'And one more' });
    await page.getByRole('link').filter({ hasText: 'And one more' }).waitFor();
  });

  it('keeps typed text', async () => {
    await show(page, '/targets/new');
    await page.getByLabel('Name').fill('partly typed');
    await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/hook');
    await endSession();
    await signIn();
    await dialog().waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('http://127.0.0.1:9/hook');
    await until('the focus is where it was', () => hasFocus(page.getByRole('textbox', { name: 'Address' })));
    await page.locator('form [type=submit]').click();
    await page.locator('[data-secret]').waitFor();
  });

  it('is detected when a button is pressed, and the action is not carried out', async () => {
    await show(page, '/connection');
    // Without its socket the page is not notified.
    await page.route('**/api/v1/**', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Check and repair now' }).click();
    await waitUntilOpen(dialog());
    await page.unroute('**/api/v1/**');
    await page.context().addCookies(cookies);
    // After signing in by a link in another window, focusing this one is enough.
    await page.evaluate(() => globalThis.dispatchEvent(new Event('focus')));
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Check and repair now' }).click();
    await page.getByText('Checked. The webhook at Co-Pilot is as expected.').waitFor();
  });

  it('opens the sign-in page after signing out, without the dialog and without an alert in the tab', async () => {
    await page.route('**/api/v1/health', (route) => route.fulfill({ json: CRITICAL }));
    await load(page, '/targets');
    await icon('/favicon-alert.svg').waitFor({ state: 'attached' });
    await page.evaluate(() => {
      const shown = new MutationObserver(() => {
        if (document.querySelector('[aria-modal=true]') !== null) document.body.dataset['asked'] = '';
      });
      shown.observe(document.body, { childList: true, subtree: true });
    });
    // The socket closes before the response arrives.
    await page.route('**/api/v1/session', async (route) => {
      const response = await route.fetch();
      await pause(SLOW_MS);
      await route.fulfill({ response });
    });
    await openUserMenu(page);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(/\/sign-in$/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.locator('body[data-asked]').count()).toBe(0);
    await icon('/favicon.svg').waitFor({ state: 'attached' });
  });
}
