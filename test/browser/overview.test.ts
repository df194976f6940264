import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LoginLink } from '../../src/contract/session';
import type { Target } from '../../src/contract/target';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { findings, hasFocus, openLoginLink } from '../support/browser/dashboard';
import { Daemon } from '../support/daemon/daemon';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

const APPEARS_WITHIN_MS = 20_000;
const AXE_WITHIN_MS = 120_000;
const MINUTE_MS = 60_000;
/** The ground of a downtime in the light theme. */
const DOWNTIME = [252, 233, 231];

let upstream: FakeCopilot;
let daemon: Daemon;
let orders: RecordingTarget;
let ordersId: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let number = 0;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.startConnected({ upstream });
  orders = await RecordingTarget.start();
  ({ id: ordersId } = await daemon.addTarget('orders', orders.url));
  browser = await launchBrowser();
  context = await browser.newContext({
    ...PAGE_OPTIONS,
    colorScheme: 'light',
    timezoneId: 'Asia/Tokyo',
  });
  page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
});

afterAll(async () => {
  await browser?.close();
  await daemon?.close();
  await orders?.close();
  await upstream?.close();
});

/** Sends what Co-Pilot would send; the name is what the screen calls it by. */
async function notify(name: string): Promise<void> {
  number += 1;
  const client = new WebhookSender(daemon.webhook);
  const data = { id: number, name };
  const timestamp = new Date().toISOString();
  const { status } = await client.send(
    Buffer.from(
      JSON.stringify({ event: 'deal.updated', timestamp, webhook_id: daemon.webhook.webhook_id, data }),
    ),
  );
  client.close();
  expect(status).toBe(200);
}

async function logIn(visitor: Page, to: Daemon): Promise<void> {
  const { body } = await to.request('POST', '/login-links');
  await openLoginLink(visitor, (body as LoginLink).url);
}

const at = (path: string) => new URL(path, page.url()).href;
const attention = () => page.getByRole('region', { name: 'What needs attention' });
const vitals = () => page.getByRole('region', { name: 'Key metrics' });
const traffic = () => page.getByRole('region', { name: 'Traffic', exact: true });
const card = (name: string) =>
  page.getByRole('region', { name: 'Targets' }).getByRole('listitem').filter({ hasText: name });
const headline = (text: string | RegExp) => attention().getByRole('heading', { name: text }).waitFor();
const target = (id: string) => daemon.get<Target>(`/targets/${id}`);

describe('the overview', () => {
  it('of a hub that is new teaches the three steps, and shows no empty charts', async () => {
    const fresh = await Daemon.start({ upstream });
    const visitor = await browser.newPage(PAGE_OPTIONS);
    try {
      await logIn(visitor, fresh);
      await visitor.getByRole('heading', { name: 'Let’s get you set up' }).waitFor();
      const steps = visitor.getByRole('region', { name: 'Three steps to your first event' });
      await steps.getByRole('link', { name: 'Connect to Co-Pilot' }).waitFor();
      await steps.getByRole('link', { name: 'Add a target' }).click();
      expect(new URL(visitor.url()).pathname).toBe('/targets/new');
      await visitor.goBack();
      expect(await visitor.getByRole('region', { name: 'Traffic', exact: true }).count()).toBe(0);
    } finally {
      await visitor.close();
      await fresh.close();
    }
  });

  it('says that all is well, in words and in figures', async () => {
    await notify('Harbour lights');
    await until('it is delivered', () => orders.hits.length > 0);
    await logIn(page, daemon);
    await headline('All systems operational');
    await attention().getByText('Connected and subscribed; last notification').waitFor();
    await attention().getByText('1 target active, no backlog.').waitFor();
    await vitals().getByText('100%').waitFor();
    await vitals().getByText('limit 5 s').waitFor();
    await vitals().getByText('0queued').waitFor();
    await card('orders').getByRole('figure', { name: 'Last hour: 1 delivered' }).waitFor();
    await traffic()
      .getByRole('figure', { name: /Traffic in the last hour: 1 event, 1 delivery/ })
      .waitFor();
  });

  it('shows what arrives, without a reload, and opens it', async () => {
    await notify('Lighthouse');
    const events = page.getByRole('region', { name: 'Latest events' });
    await events.getByRole('link').filter({ hasText: 'Lighthouse' }).filter({ hasText: 'Delivered' }).click();
    await page.getByRole('heading', { name: 'deal.updated' }).waitFor();
    await page.goBack();
    await headline('All systems operational');
  });

  it('keeps the span of its chart in the address, for the way back and for others', async () => {
    await traffic().getByRole('link', { name: 'Day' }).click();
    await page.waitForURL(/\?span=day$/);
    await traffic().getByText('the last 24 hours').waitFor();
    await traffic().getByRole('link', { name: 'Live' }).click();
    await traffic().getByText('the last 5 minutes').waitFor();
    await page.goBack();
    await page.waitForURL(/\?span=day$/);
    expect(await traffic().locator('[aria-current]').allInnerTexts()).toEqual(['Day']);
    await page.goto(at('/?span=week'));
    await traffic().getByText('the last 7 days').waitFor();
    await page.goto(at('/?span=century'));
    await traffic().getByText('the last hour').waitFor();
    expect(await traffic().locator('[aria-current]').allInnerTexts()).toEqual(['Hour']);
  });

  it('tells the numbers of the chart as a table', async () => {
    await traffic().getByRole('button', { name: 'Show as table' }).click();
    const table = traffic().getByRole('table');
    await table.waitFor();
    const counts = await table.locator('tbody td:nth-of-type(1)').allInnerTexts();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(2);
    await traffic().getByRole('button', { name: 'Hide table' }).click();
  });

  it('says what stands still, and lets it go on from there', async () => {
    await card('orders')
      .getByRole('button', { name: /^Pause/ })
      .click();
    await headline('One thing needs attention');
    await attention().getByText('orders is paused').waitFor();
    await card('orders').getByText('Paused', { exact: true }).waitFor();
    expect((await target(ordersId)).paused).not.toBeNull();
    await attention().getByRole('button', { name: 'Resume' }).click();
    await headline('All systems operational');
    expect((await target(ordersId)).paused).toBeNull();
  });

  it('says which target is down, and that it is back', async () => {
    orders.answer(503);
    for (let n = 0; n < 6; n += 1) await notify(`Storm ${n}`);
    await attention().getByText('orders is down: The target answered 503').waitFor();
    await card('orders').getByText('Down', { exact: true }).waitFor();
    await card('orders').getByText('next probe').waitFor();
    await attention().getByText('0 of 1 target active').waitFor();
    await card('orders')
      .getByText(/failed attempts/)
      .waitFor();
    orders.answer(200);
    await headline('All systems operational');
    await card('orders').getByText('Last failure').waitFor();
  });

  it('says what was given up as soon as that is known, and is well again once it was sent again', async () => {
    const strict = await RecordingTarget.start(404);
    const policy = { retry: { delays_s: [] }, breaker: null };
    const { id } = await daemon.addTarget('strict', strict.url, { policy });
    await notify('Refused');
    await headline('One thing needs attention');
    await attention()
      .getByText('Deliveries to strict became dead letters: The target answered 404')
      .waitFor();
    await attention().getByText('Fix the target, then retry').waitFor();
    await attention()
      .getByText(/^Critical, delivery dead, since (now|\d+ s ago)$/)
      .waitFor();
    await vitals().getByRole('link', { name: '1 dead letter' }).waitFor();
    await notify('Refused again');
    await attention()
      .getByText(/^Critical, delivery dead, since .*, 2 times$/)
      .waitFor();
    strict.answer(200);
    await daemon.request('POST', '/deliveries/retry', { target: id });
    await headline('All systems operational');
    await vitals().getByText('no dead letters').waitFor();
    await daemon.request('DELETE', `/targets/${id}`);
    await strict.close();
  });

  it('draws when events may have been missed, and lets somebody say that they have seen to it', async () => {
    await daemon.stop();
    const ended = Date.now() - 10 * MINUTE_MS;
    daemon.alterDatabase(
      `INSERT INTO outages(id, kind, began_at, ended_at) VALUES ('out_${'0'.repeat(26)}', 'downtime', ${ended - 20 * MINUTE_MS}, ${ended})`,
    );
    await daemon.restart();
    await page.goto(at('/'));
    await attention().getByText('Events may have been missed between').waitFor();
    await traffic()
      .getByText(/\(20 min\): events may have been missed/)
      .waitFor();
    await traffic().locator('canvas').waitFor();
    await until('the window is drawn', async () => (await shareOf(DOWNTIME)) > 0.2);
    expect(await shareOf(DOWNTIME)).toBeLessThan(0.5);
    await attention().getByRole('button', { name: 'Dismiss' }).click();
    await headline('All systems operational');
    // What is over and seen to is part of the hour all the same.
    await traffic().getByText('events may have been missed').waitFor();
  });

  it('says that the daemon is gone, and shows what came since once it is back', async () => {
    await page
      .getByRole('status')
      .filter({ hasText: /^Live$/ })
      .waitFor();
    await daemon.stop();
    await headline('Can’t reach Switchboard');
    await daemon.restart();
    await notify('Sent while the page was away');
    await headline('All systems operational');
    await page
      .getByRole('region', { name: 'Latest events' })
      .getByText('Sent while the page was away')
      .waitFor();
  });

  it('tells times in the zone of the reader or in UTC, and remembers which', async () => {
    const time = page.getByRole('region', { name: 'Latest events' }).locator('time').first();
    await time.waitFor();
    expect(await time.getAttribute('title')).toMatch(/ \+09:00$/);
    await page.getByRole('button', { name: 'Times: local. Switch to UTC' }).click();
    await until(
      'times are told in UTC',
      async () => (await time.getAttribute('title'))?.endsWith(' UTC') === true,
    );
    await page.reload();
    await time.waitFor();
    const [told, meant] = [await time.getAttribute('title'), await time.getAttribute('datetime')];
    expect(told?.slice(0, 23).replace(' ', 'T')).toBe(meant?.slice(0, 23));
    await page.getByRole('button', { name: 'Times: UTC. Switch to local' }).click();
    await until(
      'times are local again',
      async () => (await time.getAttribute('title'))?.endsWith('09:00') === true,
    );
  });

  it('is gone through by keys: j and k, g and a letter, and ? says which there are', async () => {
    await card('orders').waitFor();
    await page.keyboard.press('j');
    await until('the first row has the focus', async () => (await focused()) === 'orders');
    await page.keyboard.press('j');
    expect(await focused()).toContain('deal.updated');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orders' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL(/\/replays$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to Overview').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.waitForURL(/\/events$/);
    const search = page.getByLabel('Text in the payload');
    await until(
      'the search has the focus',
      async () => (await search.count()) === 1 && (await hasFocus(search)),
    );
    // A field keeps the keys that are typed in it.
    await search.blur();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'has nothing that axe finds, well or not (%s)',
    async (colorScheme) => {
      await daemon.request('POST', `/targets/${ordersId}/pause`);
      const themed = await browser.newContext({
        ...PAGE_OPTIONS,
        colorScheme,
        storageState: await context.storageState(),
      });
      try {
        const look = await themed.newPage();
        await look.goto(at('/?span=day'));
        await look
          .getByRole('region', { name: 'What needs attention' })
          .getByText('orders is paused')
          .waitFor();
        await look.getByRole('button', { name: 'Show as table' }).click();
        await look.locator('canvas').waitFor();
        expect(await findings(look)).toEqual([]);
        await daemon.request('POST', `/targets/${ordersId}/resume`);
        await look.getByRole('heading', { name: 'All systems operational' }).waitFor();
        expect(await findings(look)).toEqual([]);
      } finally {
        await themed.close();
      }
    },
    AXE_WITHIN_MS,
  );
});

const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

/** How much of the chart has a colour. */
const shareOf = (colour: readonly number[]) =>
  page.evaluate((wanted) => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let hits = 0;
    for (let i = 0; i < pixels.length; i += 4)
      if (wanted.every((value, k) => Math.abs(value - (pixels[i + k] ?? 0)) < 3)) hits += 1;
    return pixels.length === 0 ? 0 : hits / (pixels.length / 4);
  }, colour);
