import type { Page } from 'playwright-core';
import type { Snoozes } from '../../src/contract/snooze';
import type { Target } from '../../src/contract/target';
import {
  accessibilityViolations,
  hasFocus,
  holdRequests,
  show,
  withLook,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const AXE_WITHIN_MS = 120_000;
const MINUTE_MS = 60_000;
/** In which history is stored. */
const MINUTES = 40;
/** The background colour of a downtime in the light theme. */
const DOWNTIME = [252, 233, 231];

let session: BrowserSession;
let daemon: Daemon;
let orders: RecordingTarget;
let ordersId: string;
let page: Page;
let number = 0;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  orders = session.closeLater(await RecordingTarget.start());
  ({ id: ordersId } = await daemon.addTarget('orders', orders.url));
  await notify('Harbour lights');
  await until('it is delivered', () => orders.hits.length > 0);
  ({ page } = await session.enter({ timezoneId: 'Asia/Tokyo' }));
});

afterAll(() => session?.close());

/** Sends a notification with the given entity name. */
async function notify(name: string): Promise<void> {
  number += 1;
  await emit(daemon, 'deal.updated', { id: number, name });
}

const urlOf = (path: string) => new URL(path, page.url()).href;
const attention = () => page.getByRole('region', { name: 'What needs attention' });
const metrics = () => page.getByRole('region', { name: 'Key metrics' });
const traffic = () => page.getByRole('region', { name: 'Traffic', exact: true });
const card = (name: string) =>
  page.getByRole('region', { name: 'Targets' }).getByRole('listitem').filter({ hasText: name });
const headline = (text: string | RegExp) => attention().getByRole('heading', { name: text }).waitFor();
const target = (id: string) => daemon.get<Target>(`/targets/${id}`);

const rangeButton = () => traffic().getByRole('button', { name: /^Time range: / });
const rangeIs = async (name: string | RegExp) => {
  await rangeButton().getByText(name, { exact: true }).waitFor();
  await traffic().getByRole('definition').getByText(name, { exact: true }).waitFor();
};
async function selectRange(name: string): Promise<void> {
  await rangeButton().click();
  await page.getByRole('dialog', { name: 'Time range' }).getByRole('button', { name, exact: true }).click();
}

describe('the overview', () => {
  it('shows that all systems are operational, with the key metrics', async () => {
    await headline('All systems operational');
    await attention().getByText('Connected and subscribed; last notification').waitFor();
    await attention().getByText('1 target active, no backlog.').waitFor();
    await metrics().getByText('100%').waitFor();
    await metrics().getByText('limit 5 s').waitFor();
    await metrics().getByText('0queued').waitFor();
    await card('orders').getByRole('figure', { name: 'last 15 min: 1 delivered' }).waitFor();
    await selectRange('Last hour');
    await traffic()
      .getByRole('figure', { name: /Traffic. Last hour: 1 event, 1 delivery/ })
      .waitFor();
  });

  it('states nothing about data that is still being loaded', async () => {
    const second = await page.context().newPage();
    const shown = second.getByRole('region', { name: 'Key metrics' });
    const NOT_LOADED = /\/api\/v1\/(stats|events|subscription)(\?.*)?$/;
    await second.routeWebSocket(/./, () => undefined);
    const release = await holdRequests(second, NOT_LOADED);
    await second.goto(urlOf('/'));
    await shown.getByText('Connected').waitFor();
    expect(await shown.innerText()).not.toMatch(/no dead letters|no notification/);
    await release();
    await shown.getByText('no dead letters').waitFor();
    await shown.getByText('last notification').waitFor();
    await second.close();
  });

  it('shows new events without a reload, and opens them', async () => {
    await notify('Lighthouse');
    const events = page.getByRole('region', { name: 'Latest events' });
    await events.getByRole('link').filter({ hasText: 'Lighthouse' }).filter({ hasText: 'Delivered' }).click();
    await page.getByRole('heading', { name: 'deal.updated' }).waitFor();
    await page.goBack();
    await headline('All systems operational');
  });

  it('keeps the time range of its chart in the URL', async () => {
    await selectRange('Last 24 hours');
    await page.waitForURL(/\?range=24h$/);
    await selectRange('Last 5 minutes');
    await page.waitForURL(/\?range=live$/);
    await page.goBack();
    await page.waitForURL(/\?range=24h$/);
    await rangeIs('Last 24 hours');
    await page.goto(urlOf('/?range=7d'));
    await rangeIs('Last 7 days');
  });

  it('does not move while it loads', async () => {
    const visitor = await page.context().newPage();
    try {
      await visitor.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            shifts.push((entry as PerformanceEntry & { value: number }).value);
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await visitor.goto(urlOf('/?range=1h'));
      await visitor.getByRole('region', { name: 'Latest events' }).getByRole('link').nth(1).waitFor();
      await visitor.locator('canvas').waitFor();
      const shifts = await visitor.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
      expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.05);
    } finally {
      await visitor.close();
    }
  });

  it('shows the numbers of the chart as a table', async () => {
    await page.goto(urlOf('/?range=1h'));
    await traffic().getByRole('button', { name: 'Show as table' }).click();
    const table = traffic().getByRole('table');
    await table.waitFor();
    const counts = await table.locator('tbody td:nth-of-type(1)').allInnerTexts();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(2);
    await traffic().getByRole('button', { name: 'Hide table' }).click();
  });

  it('shows what flows from Co-Pilot to each target, as a drawing and as text', async () => {
    const topology = page.getByRole('region', { name: 'Topology' });
    await topology.locator('svg').getByText('orders', { exact: true }).waitFor();
    const text = topology.getByRole('listitem');
    await text
      .filter({ hasText: /^Co-Pilot: Connected, .* events\/s received\.$/ })
      .waitFor({ state: 'attached' });
    await text.filter({ hasText: /^orders: Active, .* attempts\/s\.$/ }).waitFor({ state: 'attached' });
    for (let n = 0; n < 10; n += 1) await notify(`Flowing ${n}`);
    await page.reload();
    await text.filter({ hasText: /^orders: Active, 0\.[1-9] attempts/ }).waitFor({ state: 'attached' });
    const dots = topology.locator('svg circle[style*=offset]');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await dots.first().waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // Well before the attempts are too old to count.
    await until('nothing moves', async () => (await dots.count()) === 0);
  });

  it('shows a paused target, and resumes it', async () => {
    await card('orders')
      .getByRole('button', { name: /^Pause/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await headline('One thing needs attention');
    await attention().getByText('orders is paused').waitFor();
    await card('orders').getByText('Paused', { exact: true }).waitFor();
    expect((await target(ordersId)).paused).not.toBeNull();
    await attention().getByRole('button', { name: 'Resume' }).click();
    await headline('All systems operational');
    expect((await target(ordersId)).paused).toBeNull();
  });

  it('hides a deliberate pause for as long as it lasts, for every operator, and no later pause', async () => {
    await daemon.request('POST', `/targets/${ordersId}/pause`);
    await attention().getByText('orders is paused').waitFor();
    await attention().getByRole('button', { name: 'Snooze: Target paused, orders' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Snooze', exact: true }).click();
    await headline('Nothing else needs attention');
    expect(await attention().getByText('orders is paused').count()).toBe(0);
    const { data } = await daemon.get<Snoozes>('/snoozes');
    expect(data).toMatchObject([
      { issue: expect.stringContaining(`target.paused:${ordersId}:`), until: null },
    ]);
    await page.reload();
    await attention().getByRole('button', { name: '1 snoozed' }).click();
    await attention().getByRole('button', { name: 'Show again: Target paused, orders' }).click();
    await headline('One thing needs attention');
    // Another client snoozes it.
    await daemon.request('POST', '/snoozes', { issue: data[0]!.issue, until: null });
    await headline('Nothing else needs attention');
    await daemon.request('POST', `/targets/${ordersId}/resume`);
    await headline('All systems operational');
    await daemon.request('POST', `/targets/${ordersId}/pause`);
    await headline('One thing needs attention');
    await daemon.request('POST', `/targets/${ordersId}/resume`);
    await headline('All systems operational');
  });

  it('shows which target is down, and its recovery', async () => {
    orders.respondWith(503);
    for (let n = 0; n < 6; n += 1) await notify(`Storm ${n}`);
    await attention()
      .getByText(/orders is down since .*: HTTP 503/)
      .waitFor();
    await card('orders').getByText('Down', { exact: true }).waitFor();
    await card('orders').getByText('next probe').waitFor();
    await attention().getByText('0 of 1 target active').waitFor();
    await card('orders')
      .getByText(/failed attempts/)
      .waitFor();
    orders.respondWith(200);
    await headline('All systems operational');
    await card('orders').getByText('Last failure').waitFor();
  });

  it('reports dead letters immediately, and recovers once they are retried', async () => {
    const strict = await RecordingTarget.start(404);
    const policy = { retry: { delays_s: [] }, breaker: null };
    const { id } = await daemon.addTarget('strict', strict.url, { policy });
    await notify('Rejected');
    await headline('One thing needs attention');
    await attention().getByText('Deliveries to strict became dead letters: HTTP 404').waitFor();
    await attention().getByText('Fix the target, then retry').waitFor();
    await attention()
      .getByText(/^Critical, began (just now|\d+ s ago)$/)
      .waitFor();
    await page.getByRole('link', { name: 'Failures, 1 dead letter' }).waitFor();
    await metrics().getByRole('link', { name: '1 dead letter' }).waitFor();
    await notify('Rejected again');
    await attention().getByText('2 times', { exact: true }).waitFor();
    strict.respondWith(200);
    await daemon.request('POST', '/deliveries/retry', { target: id });
    await headline('All systems operational');
    await metrics().getByText('no dead letters').waitFor();
    await daemon.request('DELETE', `/targets/${id}`);
    await strict.close();
  });

  it('draws outages, and lets the operator dismiss them', async () => {
    await daemon.stop();
    storeHistory();
    await daemon.restart();
    await page.goto(urlOf('/?range=1h'));
    await attention().getByText('Events may have been missed between').waitFor();
    await metrics().getByText('none since startup').waitFor();
    await traffic()
      .getByText(/\(20 min\): events may have been missed/)
      .waitFor();
    await traffic().locator('canvas').waitFor();
    await until('the window is drawn', async () => (await shareOf(DOWNTIME)) > 0.2);
    expect(await shareOf(DOWNTIME)).toBeLessThan(0.5);
    await attention().getByRole('button', { name: 'Dismiss' }).click();
    await headline('All systems operational');
    // A dismissed outage is still part of the hour.
    await traffic().getByText('events may have been missed').waitFor();
  });

  it('shows the newest numbers of the chart in its table, and all on request', async () => {
    await traffic().getByRole('button', { name: 'Show as table' }).click();
    const rows = traffic().getByRole('table', { name: 'Traffic as a table' }).locator('tbody tr');
    await until('the newest are shown', async () => (await rows.count()) === 12);
    await traffic()
      .getByRole('button', { name: /^Show all \d+$/ })
      .click();
    expect(await rows.count()).toBeGreaterThanOrEqual(MINUTES);
    await traffic().getByRole('button', { name: 'Show newest only' }).click();
    expect(await rows.count()).toBe(12);
  });

  it('shows a lost connection, and newer events after reconnecting', async () => {
    await page
      .getByRole('status')
      .filter({ hasText: /^Live$/ })
      .waitFor();
    await daemon.stop();
    await headline('Can’t reach Switchboard');
    // On every screen, in place of colours that say how things are.
    const note = page.getByRole('status').filter({ hasText: /^Not up to date/ });
    await page.getByRole('link', { name: 'Targets', exact: true }).click();
    await note.waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await note.waitFor();
    await daemon.restart();
    await note.waitFor({ state: 'detached' });
    await notify('Sent while the page was away');
    await headline('All systems operational');
    await page
      .getByRole('region', { name: 'Latest events' })
      .getByText('Sent while the page was away')
      .waitFor();
  });

  it('shows times in the local time zone or in UTC, and remembers the choice', async () => {
    const time = page.getByRole('region', { name: 'Latest events' }).locator('time').first();
    await time.waitFor();
    expect(await time.getAttribute('title')).toMatch(/ \+09:00$/);
    await page.getByRole('button', { name: 'Times: local. Switch to UTC' }).click();
    await until(
      'times are in UTC',
      async () => (await time.getAttribute('title'))?.endsWith(' UTC') === true,
    );
    await page.reload();
    await time.waitFor();
    const [shown, exact] = [await time.getAttribute('title'), await time.getAttribute('datetime')];
    expect(shown?.slice(0, 23).replace(' ', 'T')).toBe(exact?.slice(0, 23));
    await page.getByRole('button', { name: 'Times: UTC. Switch to local' }).click();
    await until(
      'times are local again',
      async () => (await time.getAttribute('title'))?.endsWith('09:00') === true,
    );
  });

  it('can be used by keyboard: j and k, g and a letter, and ? for help', async () => {
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
    // Keys typed into a field are not shortcuts.
    await search.blur();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility violations, with and without issues (%s)',
    async (colorScheme) => {
      await daemon.request('POST', `/targets/${ordersId}/pause`);
      await withLook(page, { colorScheme }, async () => {
        await show(page, '/?range=24h');
        await attention().getByText('orders is paused').waitFor();
        await page.getByRole('button', { name: 'Show as table' }).click();
        await page.locator('canvas').waitFor();
        expect(await accessibilityViolations(page)).toEqual([]);
        await daemon.request('POST', `/targets/${ordersId}/resume`);
        await headline('All systems operational');
        expect(await accessibilityViolations(page)).toEqual([]);
      });
    },
    AXE_WITHIN_MS,
  );
});

/** An outage of 20 minutes that ended 10 minutes ago, and events in minutes of the last hour. */
function storeHistory(): void {
  const ended = Date.now() - 10 * MINUTE_MS;
  const minute = Math.floor(Date.now() / MINUTE_MS) - 50;
  daemon.alterDatabase(
    `INSERT INTO outages(id, kind, began_at, ended_at)
       VALUES ('out_${'0'.repeat(26)}', 'downtime', ${ended - 20 * MINUTE_MS}, ${ended});
     WITH RECURSIVE minutes(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM minutes WHERE n < ${MINUTES - 1})
       INSERT OR REPLACE INTO traffic_minutes(minute, target, events, delivered, failed, dead)
       SELECT ${minute} + n, 0, 5, 0, 0, 0 FROM minutes`,
  );
}

const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

/** The share of the chart in the given colour. */
const shareOf = (colour: readonly number[]) =>
  page.evaluate((wanted) => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let hits = 0;
    for (let i = 0; i < pixels.length; i += 4)
      if (wanted.every((value, k) => Math.abs(value - (pixels[i + k] ?? 0)) < 3)) hits += 1;
    return pixels.length === 0 ? 0 : hits / (pixels.length / 4);
  }, colour);
