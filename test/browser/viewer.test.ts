import type { Page } from 'playwright-core';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import {
  accessibilityViolations,
  APPEARS_WITHIN_MS,
  hasFocus,
  openUserMenu,
  panel,
  show,
  waitUntilLive,
} from '../support/browser/dashboard';
import { PROXY_SETTINGS, ReverseProxy } from '../support/fakes/reverse-proxy';
import { notify } from '../support/daemon/emit';
import { freePort } from '../support/free-port';

let session: BrowserSession;
let proxy: ReverseProxy;
let page: Page;
let targetId: string;

beforeAll(async () => {
  const port = await freePort();
  proxy = await ReverseProxy.start(`http://127.0.0.1:${port}`, { vera: 'viewer', ada: 'admin' });
  session = await BrowserSession.open({
    environment: {
      ...PROXY_SETTINGS,
      PORT: String(port),
      PUBLIC_URL: proxy.url,
      SWITCHBOARD_MASK: 'data.email',
    },
  });
  ({ id: targetId } = await session.daemon.addTarget('shop', 'http://127.0.0.1:9/'));
  page = await enter('vera');
});
afterAll(async () => {
  await session?.close();
  await proxy?.close();
});

/** Opens the dashboard as a user of the proxy, without any sign-in. */
async function enter(user: string): Promise<Page> {
  const context = await session.browser.newContext(PAGE_OPTIONS);
  await context.addCookies([{ name: 'proxy_user', value: user, url: proxy.url }]);
  const opened = await context.newPage();
  opened.setDefaultTimeout(APPEARS_WITHIN_MS);
  await opened.goto(proxy.url);
  await waitUntilLive(opened);
  return opened;
}

const DENIAL = 'Requires the operator role. Your role is viewer.';

it('shows who is signed in, and no sign-out, which only the proxy can do', async () => {
  await openUserMenu(page);
  await page.getByText('Signed in as vera, viewer').waitFor();
  expect(await page.getByRole('button', { name: 'Sign out', exact: true }).count()).toBe(0);
  await page.keyboard.press('Escape');
});

it('disables what a viewer cannot do, and says why to mouse and keyboard', async () => {
  await show(page, `/targets/${targetId}`);
  const changes: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(request.url());
  });
  for (const name of [
    /^(Send )?test/i,
    /^Pause/,
    /^Examine the receiver$/,
    /^Edit$/,
    /^Delete$/,
    /^Rotate secret$/,
    /^Disable$/,
  ]) {
    const button = page.getByRole('button', { name });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.click({ force: true });
  }
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
  expect(await accessibilityViolations(page)).toEqual([]);
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  await page.getByRole('button', { name: /^Pause/ }).focus();
  await page.keyboard.press('Tab');
  expect(await hasFocus(edit)).toBe(true);
  await page.getByRole('tooltip', { name: DENIAL }).waitFor();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(changes).toEqual([]);
});

it('offers a viewer no actions in the command palette', async () => {
  await show(page, '/targets');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill('shop');
  await palette.getByRole('option', { name: /shop/ }).first().waitFor();
  expect(await palette.getByRole('option', { name: /Pause|Resume|Test/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
});

it('offers a viewer saved views, which only an operator changes', async () => {
  await session.daemon.request('POST', '/saved-views', { name: 'Failed', address: '/events?status=dead' });
  await show(page, '/events');
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  const views = page.getByRole('dialog', { name: /^View/ });
  await views.getByText(DENIAL.replace('Requires', 'Saving a view requires')).waitFor();
  // The default is that of the browser.
  await views.getByRole('button', { name: 'Default: Failed' }).waitFor();
  expect(await views.getByRole('button').allInnerTexts()).toEqual(['']);
  await views.getByRole('link', { name: 'Failed' }).click();
  await page.waitForURL(/status=dead/);
});

it('replaces screens that a viewer cannot use by a note', async () => {
  await show(page, '/targets/new');
  await page.getByText(DENIAL).waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
  await show(page, '/settings');
  await page.getByText('Requires the admin role. Your role is viewer.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
});

it('shows a viewer *** in place of a masked value, and says so', async () => {
  const email = 'ann@crm.example';
  // Of PUBLIC_URL, the address of the proxy.
  const [webhook] = session.upstream.webhooks.values();
  const notification = {
    event: 'contact.created',
    timestamp: new Date().toISOString(),
    webhook_id: webhook!.webhook_id,
    data: { id: 7, name: 'Ann', email },
  };
  const response = await notify(session.daemon, JSON.stringify(notification), webhook);
  const { id } = (await response.json()) as { id: string };
  await show(page, `/events/${id}`);
  const payload = page.getByRole('region', { name: 'Payload' });
  await payload.getByText('Your role does not see these values, by SWITCHBOARD_MASK: data.email').waitFor();
  await payload.getByRole('tree').getByText('***').waitFor();
  expect(await page.content()).not.toContain(email);
});

it('lets an admin act, under their name in the audit log', async () => {
  const admin = await enter('ada');
  await show(admin, `/targets/${targetId}`);
  await admin.getByRole('button', { name: /^Pause/ }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await admin
    .getByRole('button', { name: /^Resume/ })
    .first()
    .waitFor();
  await show(admin, '/settings');
  await panel(admin, 'Audit log').getByText('User “ada”').first().waitFor();
  await panel(admin, 'Configuration').getByText('remote-role').waitFor();
  await admin.context().close();
});
