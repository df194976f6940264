import type { Page } from 'playwright-core';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { show } from '../support/browser/dashboard';
import { report } from '../support/runs/report';
import { readList } from '../support/browser/tail-reader';
import { storeEvents } from '../support/daemon/store-events';

const STORED = 10_000;
/** How many rows the test scrolls through; the others are loaded in the same way. */
const SCROLLED_ROWS = 3_000;

let session: BrowserSession;
let daemon: Daemon;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  await storeEvents(daemon, STORED);
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

const row = (name: string) => page.locator('[data-tail]').getByText(name, { exact: true });
describe('with ten thousand stored events', () => {
  it('the live list loads older events while scrolling, without gaps', async () => {
    await show(page, '/live');
    await row(`Deal ${STORED}`).waitFor();
    const names = (await readList(page, SCROLLED_ROWS)).map(({ name }) => name);
    // The newest row is the system event about the restart.
    const first = names.indexOf(`Deal ${STORED}`);
    expect(first).toBeLessThan(5);
    expect(names.slice(first)).toEqual(
      Array.from({ length: SCROLLED_ROWS - first }, (_, i) => `Deal ${STORED - i}`),
    );
  });

  it('finds the oldest event by its entity, and returns by keyboard', async () => {
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
  ])('%s loads', async (path, words) => {
    const began = performance.now();
    await page.goto(new URL(path, page.url()).href);
    await page.getByText(words).first().waitFor();
    await page.waitForLoadState('networkidle');
    report(`${path} with ${STORED} stored events: ${(performance.now() - began).toFixed(0)} ms`);
  });
});
