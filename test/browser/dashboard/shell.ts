import { PAGE_OPTIONS } from '../../support/browser/browser';
import {
  accessibilityViolations,
  navigationLink,
  prefer,
  show,
  waitUntilLive,
} from '../../support/browser/dashboard';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { daemon, notify, page, session, target, urlOf } from './hub';

const fonts = (shown = page) =>
  shown.evaluate(() =>
    [...document.fonts].map(({ family, status }) => `${family.replaceAll('"', '')} ${status}`),
  );

/** The height of a row in the list of events. */
const rowHeight = () =>
  page
    .getByRole('list', { name: /events/i })
    .getByRole('listitem')
    .first()
    .evaluate((row) => row.clientHeight);

export function shell(): void {
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
    await page.getByRole('dialog').getByRole('button', { name: 'Replay to 1 target' }).click();
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
    await page.getByRole('textbox', { name: 'Address' }).fill(target.url);
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
    await page.getByRole('textbox', { name: 'Address' }).fill('http://169.254.169.254/latest');
    await page.locator('form [type=submit]').click();
    await page.getByText('this address is not allowed').waitFor();
  });

  it('shows the state of connection and subscription, with the key masked', async () => {
    await show(page, '/connection');
    await page.getByText('Connected', { exact: true }).first().waitFor();
    await page.getByText('Subscribed', { exact: true }).first().waitFor();
    const key = new URL(daemon.webhook.url).pathname.split('/').at(-1)!;
    expect(await page.content()).not.toContain(key);
  });

  it('shows names as plain text, whatever they contain', async () => {
    await show(page, '/live');
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
    await until('rows have the usual height', async () => (await rowHeight()) === 40);
    await prefer(page, 'Compact');
    await until('rows are low', async () => (await rowHeight()) === 28);
    await page.reload();
    await until('rows are still low', async () => (await rowHeight()) === 28);
    await prefer(page, 'Comfortable');
    await until('rows have the usual height again', async () => (await rowHeight()) === 40);
  });

  it('keeps a list of what is left to set up until it is dismissed', async () => {
    await show(page, '/');
    const list = page.getByRole('group').filter({ hasText: 'Setup: 1 of 6 done' });
    await list.getByText('Next: Only the events it needs').click();
    expect(await accessibilityViolations(page, '#main details')).toEqual([]);
    await list.getByRole('button', { name: 'My service verifies them' }).click();
    const more = page.getByRole('group').filter({ hasText: 'Setup: 2 of 6 done' });
    await page.reload();
    await more.getByText('Setup:').click();
    await more.getByRole('button', { name: 'Dismiss this list' }).click();
    await more.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('region', { name: 'Latest events' }).waitFor();
    expect(await page.getByText(/^Setup:/).count()).toBe(0);
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
      expect(await fresh.getByRole('heading').allTextContents()).toEqual(['Wrong address']);
      expect(await fresh.getByRole('alert').count()).toBe(1);
      expect(sockets).toBe(0);
    } finally {
      await stranger.close();
    }
  });

  it('shares its font with the pages that the daemon itself renders', async () => {
    const other = await page.context().newPage();
    await other.goto(urlOf('/docs/api'));
    await until('the font is loaded', async () => (await fonts(other)).includes('Inter loaded'));
    await other.close();
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
}
