import type { Page } from 'playwright-core';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { show } from '../support/browser/dashboard';
import { report } from '../support/runs/report';
import { storeEvents } from '../support/daemon/store-events';
import { until } from '../support/until';

const STORED = 100_000;
/** How far down is read; what lies further down is read in the same way. */
const READ = 3_000;
const STORES_WITHIN_MS = 120_000;

let stand: BrowserSession;
let daemon: Daemon;
let page: Page;

beforeAll(async () => {
  stand = await BrowserSession.open();
  ({ daemon } = stand);
  await storeEvents(daemon, STORED);
  ({ page } = await stand.enter());
}, STORES_WITHIN_MS);

afterAll(() => stand?.close());

const row = (name: string) => page.locator('[data-tail]').getByText(name, { exact: true });
/** What stands at each place of the list, of the rows that are drawn. */
const drawn = () =>
  page
    .locator('[data-tail] li')
    .evaluateAll((rows) =>
      rows.map((one) => [Number(one.ariaPosInSet), one.querySelector('bdi')!.textContent] as const),
    );

describe('with a hundred thousand stored events', () => {
  it('the live list reads on as somebody scrolls, and leaves none out', async () => {
    await show(page, '/live');
    const list = page.locator('[data-tail]');
    await row(`Deal ${STORED}`).waitFor();
    await list.hover();
    const found = new Map<number, string>();
    await until(
      `${READ} rows are read`,
      async () => {
        for (const [place, name] of await drawn()) {
          if (found.has(place)) expect([place, name]).toEqual([place, found.get(place)]);
          found.set(place, name);
        }
        await page.mouse.wheel(0, 500);
        return found.has(READ);
      },
      120_000,
    );
    // Above the stored ones stands what the daemon told of its restart.
    const names = Array.from({ length: READ }, (_, i) => found.get(i + 1));
    const first = names.indexOf(`Deal ${STORED}`);
    expect(first).toBeLessThan(5);
    expect(names.slice(first)).toEqual(Array.from({ length: READ - first }, (_, i) => `Deal ${STORED - i}`));
  }, 150_000);

  it('the oldest is found by its entity, and by its key the way back', async () => {
    await show(page, '/live?entity=deal:1');
    await row('Deal 1').waitFor();
    expect(await page.locator('[data-tail] li').count()).toBe(1);
    await row('Deal 1').click();
    await page.getByRole('heading', { name: 'deal.updated' }).waitFor();
    await page.goBack();
    await row('Deal 1').waitFor();
  });

  it.each([
    ['/', 'Overview'],
    ['/live', `Deal ${STORED}`],
    ['/live?type=contact.*', 'No events match this filter'],
    ['/settings', 'Unfinished events'],
  ])('%s says what it has to say', async (path, words) => {
    const began = performance.now();
    await page.goto(new URL(path, page.url()).href);
    await page.getByText(words).first().waitFor();
    await page.waitForLoadState('networkidle');
    report(`${path} with ${STORED} stored events: ${(performance.now() - began).toFixed(0)} ms`);
  });
});
