import type { Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { Target } from '../../src/contract/target';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { waitUntilLive, show, navigationLink } from '../support/browser/dashboard';
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
    await page.getByText('HTTP 200').waitFor();
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

  it('creates a target, shows its secret once, and pauses it', async () => {
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
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('button', { name: /^Resume/ }).waitFor();
    const { data } = await daemon.get<ListPage<Target>>('/targets');
    expect(data.find(({ name }) => name === 'ledger')?.paused).not.toBeNull();
  });

  it('says why an address is rejected', async () => {
    await page.goto(urlOf('/targets'));
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
