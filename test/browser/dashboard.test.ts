import type { Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { Target } from '../../src/contract/target';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import {
  accessibilityViolations,
  hasFocus,
  navigationLink,
  show,
  waitUntilLive,
  waitUntilOpen,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';
import { SIGNATURE_HEADER, FakeCopilot } from '../support/fakes/copilot';

let session: BrowserSession;
let daemon: Daemon;
let upstream: FakeCopilot;
let target: RecordingTarget;
let page: Page;
let number = 0;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon, upstream } = session);
  target = session.closeLater(await RecordingTarget.start());
  await daemon.addTarget('orders', target.url);
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

/** Sends a notification with the given entity name. */
async function notify(name: string): Promise<void> {
  number += 1;
  const links = { self: `${upstream.baseUrl}/v1/deals/${40 + number}` };
  await emit(daemon, 'deal.updated', { id: 40 + number, name, _links: links });
}

const urlOf = (path: string) => new URL(path, page.url()).href;

describe('the dashboard', () => {
  it('is opened by a login link whose token does not stay in the URL', () => {
    expect(new URL(page.url()).pathname).toBe('/');
    expect(page.url()).not.toContain('token');
  });

  it('shows a new event and its delivery without a reload', async () => {
    await navigationLink(page, 'Live').click();
    await waitUntilLive(page);
    await notify('Harbour lights');
    const row = page.getByRole('link').filter({ hasText: 'Harbour lights' });
    await row.waitFor();
    await row.filter({ hasText: 'Delivered' }).waitFor();
  });

  it('shows an event with its payload, verification and delivery, and replays it', async () => {
    await page.getByRole('link').filter({ hasText: 'Harbour lights' }).click();
    await page.getByRole('heading', { name: 'deal.updated' }).waitFor();
    await page.getByText('"Harbour lights"').waitFor();
    await page.getByText(SIGNATURE_HEADER).first().waitFor();
    await page.getByText('HTTP 200', { exact: true }).first().waitFor();
    const before = target.hits.length;
    await page.keyboard.press('r');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await until('the replay reaches the target', () => target.hits.length > before);
    expect(target.hits.at(-1)?.headers).toMatchObject({
      'switchboard-trigger': 'replay',
      'switchboard-attempt': '1',
    });
    await page.goBack();
    expect(new URL(page.url()).pathname).toBe('/live');
  });

  it('creates a target, and shows its secret once', async () => {
    await navigationLink(page, 'Targets').click();
    await page.getByRole('link', { name: 'Add a target' }).click();
    await page.getByLabel('Name').fill('ledger');
    await page.getByLabel('Address').fill(target.url);
    await page
      .getByRole('button', { name: /target/i })
      .and(page.locator('[type=submit]'))
      .click();
    const secret = await page.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^whsec_/);
    await page.getByLabel('I’ve saved the secret').check();
    await page.getByRole('button', { name: 'Go to target' }).click();
    await page.getByRole('heading', { name: 'ledger' }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it('says why an address is rejected', async () => {
    await show(page, '/targets');
    await page.getByRole('link', { name: 'Add a target' }).click();
    await page.getByLabel('Name').fill('metadata');
    await page.getByLabel('Address').fill('http://169.254.169.254/latest');
    await page.locator('form [type=submit]').click();
    await page.getByText('this address is not allowed').waitFor();
  });

  it('shows the state of connection and subscription, with the key masked', async () => {
    await navigationLink(page, 'Connection').click();
    await page.getByText('Connected', { exact: true }).first().waitFor();
    await page.getByText('Subscribed', { exact: true }).first().waitFor();
    const key = new URL(daemon.webhook.url).pathname.split('/').at(-1)!;
    expect(await page.content()).not.toContain(key);
  });

  it('shows a lost connection, and the missed events after reconnecting', async () => {
    await show(page, '/live');
    await daemon.stop();
    await page.getByText('Connection to Switchboard lost').first().waitFor();
    await daemon.restart();
    await notify('Sent while the page was away');
    await waitUntilLive(page);
    await page.getByRole('link').filter({ hasText: 'Sent while the page was away' }).waitFor();
  });

  it('shows names as plain text, whatever they contain', async () => {
    await notify('<img src=x onerror="document.title=\'owned\'"> \u202eevil');
    await page.getByRole('link').filter({ hasText: 'onerror' }).waitFor();
    expect(await page.title()).not.toBe('owned');
  });

  it('says once that a page does not exist, and links to the overview', async () => {
    await show(page, '/nowhere');
    await page.getByRole('link', { name: 'Go to Overview', exact: true }).waitFor();
    expect(await page.getByRole('heading').allTextContents()).toEqual(['Page not found']);
  });

  it('names the hub in the header, in the title and on the sign-in page, in a font of its own', async () => {
    const { host } = new URL(daemon.url.replace('127.0.0.1', 'localhost'));
    await show(page, '/targets');
    const name = page.getByRole('banner').getByText(host, { exact: true });
    await name.waitFor();
    const { width, height } = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height });
    expect(
      await name.evaluate(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth || scrollHeight > clientHeight,
      ),
    ).toBe(false);
    await page.setViewportSize({ width, height });
    expect(await page.title()).toBe(`Targets · ${host} · Switchboard`);
    const fonts = () =>
      page.evaluate(() =>
        [...document.fonts].map(({ family, status }) => `${family.replaceAll('"', '')} ${status}`),
      );
    await until('the font is loaded', async () => (await fonts()).includes('Inter Variable loaded'));
    const stranger = await session.browser.newContext(PAGE_OPTIONS);
    try {
      const fresh = await stranger.newPage();
      await fresh.goto(urlOf('/sign-in'));
      await fresh.getByText(host, { exact: true }).waitFor();
    } finally {
      await stranger.close();
    }
  });

  it('has lower rows on request, and keeps the choice', async () => {
    await show(page, '/events');
    const height = () =>
      page
        .getByRole('list', { name: /events/i })
        .getByRole('listitem')
        .first()
        .evaluate((row) => row.clientHeight);
    await until('rows have the usual height', async () => (await height()) === 36);
    await page.getByRole('button', { name: 'Rows: comfortable. Switch to compact' }).click();
    await until('rows are low', async () => (await height()) === 28);
    await page.reload();
    await until('rows are still low', async () => (await height()) === 28);
    await page.getByRole('button', { name: 'Rows: compact. Switch to comfortable' }).click();
    await until('rows have the usual height again', async () => (await height()) === 36);
  });

  it('says where to look instead of a target, event or replay that does not exist', async () => {
    for (const [path, link] of [
      ['/targets/tgt_missing', 'View targets'],
      ['/events/evt_missing', 'View events'],
      ['/replays/rpl_missing', 'View replays'],
    ] as const) {
      await show(page, path);
      await page.getByRole('link', { name: link }).waitFor();
      expect(await page.locator('main').textContent()).not.toContain('/api/');
    }
  });

  it('shows no event in the future, even if the clock of the page lags behind', async () => {
    await page.clock.setFixedTime(Date.now() - 60_000);
    try {
      await show(page, '/live');
      await notify('Ahead of the clock');
      const row = page.getByRole('link').filter({ hasText: 'Ahead of the clock' });
      await row.getByText('just now', { exact: true }).waitFor();
    } finally {
      await page.clock.setFixedTime(Date.now());
    }
  });

  it('says once that a session is not accepted under another host name, and opens no socket', async () => {
    const { origin, hostname } = new URL(page.url());
    const other = origin.replace(hostname, 'other.localhost');
    const cookies = await page.context().cookies();
    const secret = await page.evaluate(() => localStorage.getItem('switchboard-session') ?? '');
    const stranger = await session.browser.newContext(PAGE_OPTIONS);
    try {
      await stranger.addCookies(cookies.map(({ name, value }) => ({ name, value, url: other })));
      await stranger.addInitScript((text) => localStorage.setItem('switchboard-session', text), secret);
      const fresh = await stranger.newPage();
      let sockets = 0;
      fresh.on('websocket', () => (sockets += 1));
      await fresh.goto(other);
      await fresh.getByText(/configured address \(PUBLIC_URL\)/).waitFor();
      expect(await fresh.getByRole('heading').allTextContents()).toEqual(['Another address']);
      expect(await fresh.getByRole('alert').count()).toBe(1);
      expect(sockets).toBe(0);
    } finally {
      await stranger.close();
    }
  });

  it('redirects to the sign-in page without a session, and back after signing in', async () => {
    const stranger = await session.browser.newContext(PAGE_OPTIONS);
    try {
      const fresh = await stranger.newPage();
      await fresh.goto(urlOf('/connection'));
      await fresh.waitForURL(/\/sign-in/);
      await fresh.getByLabel(/token/i).fill(daemon.token);
      await fresh.keyboard.press('Enter');
      await fresh.waitForURL(/\/connection$/);
    } finally {
      await stranger.close();
    }
  });
});

const dialog = () => page.getByRole('dialog', { name: 'Command palette' });
const field = () => dialog().getByRole('combobox');
const option = (name: string | RegExp) => dialog().getByRole('option', { name });
const isSelected = (name: string | RegExp) => option(name).and(page.locator('[aria-selected=true]'));

/** Opens the palette and types, by keyboard only. */
async function type(text: string): Promise<void> {
  // While it closes, the keys would close it.
  await dialog().waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await waitUntilOpen(dialog());
  await until('the field has the focus', () => hasFocus(field()));
  await page.keyboard.type(text);
}

describe('the command palette', () => {
  it('opens screens and targets by keyboard, from any screen and from within a text field', async () => {
    await show(page, '/events');
    await page.keyboard.press('/');
    await type('conn');
    await isSelected(/^Connection/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/connection$/);

    await type('orders');
    await isSelected(/^orders/).waitFor();
    for (const [key, name] of [
      ['ArrowDown', /^Pause orders/],
      ['ArrowDown', /^Test orders/],
      ['ArrowUp', /^Pause orders/],
      ['ArrowUp', /^orders/],
    ] as const) {
      await page.keyboard.press(key);
      await isSelected(name).waitFor();
    }
    const active = await field().getAttribute('aria-activedescendant');
    expect(active).toBe(await option(/^orders/).getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/targets\/tgt_/);
  });

  it('opens an event by its id or a text in its payload, and an entity by its name', async () => {
    await notify('Lighthouse keepers');
    const { data } = await daemon.get<ListPage<{ id: string; entity: string }>>('/events?q=Lighthouse');
    const { id, entity } = data[0]!;
    await type(id);
    await isSelected(/^evt_/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/events/${id}$`));
    await type('lighthouse k');
    await isSelected(new RegExp(`^${entity}`)).waitFor();
    await option(/^deal.updated/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/entities/${entity}$`));
  });

  it('pauses a target and tells so, and plans a replay of the last hour’s failures', async () => {
    await show(page, '/');
    await page.getByRole('button', { name: 'Search or run a command…' }).click();
    await waitUntilOpen(dialog());
    await page.keyboard.type('pause ord');
    await isSelected(/^Pause orders/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('orders is paused', { exact: true }).waitFor();
    const { data } = await daemon.get<ListPage<Target>>('/targets');
    expect(data.find(({ name }) => name === 'orders')?.paused).not.toBeNull();
    await type('failures replay');
    await isSelected(/^Replay the last hour/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/replays\/new\?.*outcome=dead/);
    expect(Date.parse(new URL(page.url()).searchParams.get('since')!)).toBeLessThan(Date.now() - 3_590_000);
  });

  it('has no accessibility violations, closes with Escape, and is not loaded before', async () => {
    const fresh = await page.context().newPage();
    const loaded: string[] = [];
    fresh.on('request', (request) => void loaded.push(request.url()));
    await fresh.goto(urlOf('/'));
    await waitUntilLive(fresh);
    expect(loaded.filter((url) => url.includes('command-palette'))).toEqual([]);
    await fresh.close();
    await type('e');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });
});

describe('copying', () => {
  it('works without the clipboard API, which browsers offer only on HTTPS and localhost', async () => {
    await page.addInitScript('delete Navigator.prototype.clipboard');
    const { data } = await daemon.get<ListPage<{ id: string }>>('/events?limit=1');
    await show(page, `/events/${data[0]!.id}`);
    await page.getByRole('button', { name: 'Copy the event id' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Control+k');
    await until('the field has the focus', () => hasFocus(field()));
    await page.keyboard.press('Control+v');
    await until('the id is pasted', async () => (await field().inputValue()) === data[0]!.id);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('says what to do if the browser refuses it', async () => {
    await page.evaluate('document.execCommand = () => false');
    await page.getByRole('button', { name: 'Copy the event id' }).click();
    await page.getByText('Select the text, and press Ctrl+C').waitFor();
    expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0);
  });
});
