import { readFileSync } from 'node:fs';
import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import { holdRequests, show } from '../../support/browser/dashboard';
import type { Target } from '../../../src/contract/target';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { emit } from '../../support/daemon/emit';
import { until } from '../../support/until';
import { daemon, page, rows, rowsAre, rowsAreAll, search, target } from './hub';

const chart = () => page.getByRole('region', { name: 'Matching events by time' });

/** Until then, the chart of the previous search is shown. */
const chartIsLoaded = () => page.locator('[aria-label="Matching events by time"]:not([aria-busy])').waitFor();

const preview = () => page.getByRole('complementary', { name: 'Selected event' });

const marks = (words: string) => rows().getByTitle(words).first().locator('[data-tone]');

const focusedRow = () => page.evaluate(() => document.activeElement?.closest('li')?.textContent ?? '');

export function foundEvents(): void {
  it('can be used by keyboard: search, move, open, go back, replay', async () => {
    await show(page, '/events');
    await rowsAreAll();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Text in the payload',
    );
    await page.keyboard.type('order 1');
    await page.keyboard.press('Enter');
    await until('the first result has the focus', async () => (await focusedRow()).includes('Order 12'));
    await rowsAre(4);
    for (const key of ['j', 'k', 'j']) await page.keyboard.press(key);
    expect(await focusedRow()).toContain('Order 11');
    await page.keyboard.press('Enter');
    await until('the event is shown', () => Promise.resolve(page.url().includes('/events/evt_')));
    await page.getByRole('main').getByRole('link', { name: 'Events', exact: true }).click();
    await rowsAre(4);
    expect(search()).toBe('?q=order+1');
    await until('the selection is kept', async () => (await focusedRow()).includes('Order 11'));
    const before = target.hits.length;
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Replay this event' });
    // It was sent there.
    expect(await dialog.getByRole('checkbox').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Replay to 1 target' }).click();
    await until('the replay reaches the target', () => target.hits.length === before + 1);
  });

  it('opens the first result with a second Enter while the results are still being loaded', async () => {
    await show(page, '/events');
    await rowsAreAll();
    const SEARCH = /\/api\/v1\/events\?.*q=order/;
    const release = await holdRequests(page, SEARCH);
    const requested = page.waitForRequest(SEARCH);
    await page.keyboard.press('/');
    await page.keyboard.type('order 1');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await requested;
    await release();
    await page.waitForURL(/\/events\/evt_/);
    await page.getByRole('main').getByText('Order 12').first().waitFor();
    await page.goBack();
    await until('the event is selected', async () => (await focusedRow()).includes('Order 12'));
  });

  it('counts the targets by the status that they have', async () => {
    const LIST = '**/api/v1/events?*';
    await page.route(LIST, async (route) => {
      const response = await route.fetch();
      const { data, ...others } = (await response.json()) as ListPage<EventSummary>;
      const [few, many] = [
        { dead: 2, succeeded: 1 },
        { dead: 7, succeeded: 3 },
      ];
      const altered = data.map((event, at) => ({ ...event, targets: at === 0 ? few : many }));
      await route.fulfill({ response, json: { ...others, data: altered } });
    });
    await show(page, '/events');
    await marks('2 failed, 1 delivered').first().waitFor();
    expect(await marks('2 failed, 1 delivered').count()).toBe(2);
    expect(await marks('7 failed, 3 delivered').count()).toBe(2);
    // A request may be in progress, which its handler has to answer.
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('counts newer events instead of adding them, and shows them on request', async () => {
    await show(page, '/events?type=deal.*');
    await rowsAre(9);
    await emit(daemon, 'task.created', { id: 90, name: 'Another type' });
    await emit(daemon, 'deal.created', { id: 91, name: 'Newer one' });
    await emit(daemon, 'deal.created', { id: 92, name: 'Newest one' });
    const newer = page.getByRole('button', { name: 'Show 2 newer events' });
    await newer.waitFor();
    expect(await rows().count()).toBe(9);
    expect(await rows().first().textContent()).not.toContain('Newer one');
    await newer.click();
    await rowsAre(11);
    expect(await rows().first().textContent()).toContain('Newest one');
  });

  it('exports the matching events', async () => {
    await show(page, '/events?type=deal.*&q=order');
    await rowsAre(9);
    await page.getByRole('button', { name: 'Export these' }).click();
    const menu = page.getByRole('dialog', { name: 'Export' });
    await menu.getByText('9 events with payloads, as').waitFor();
    await menu.getByRole('button', { name: /^CSV for spreadsheets about [\d.]+ kB$/ }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      menu.getByRole('button', { name: /^NDJSON/ }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^events-.*\.ndjson$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    const exported = lines.map(
      (line) => JSON.parse(line) as EventSummary & { body: { data: { name: string } } },
    );
    const { data } = await daemon.get<ListPage<EventSummary>>('/events?type=deal.*&q=order');
    expect(exported.map(({ id }) => id)).toEqual(data.map(({ id }) => id).toReversed());
    expect(exported[0]!.body.data.name).toBe('Order 1');
    await page.getByText(/^9 events exported, [\d.]+ kB\.$/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('counts the matching events, and narrows them by a part of the histogram', async () => {
    await show(page, '/events?range=1h');
    await chartIsLoaded();
    const { data: listed } = await daemon.get<ListPage<EventSummary>>('/events?limit=200&origin=copilot');
    await chart().getByText(`${listed.length} events`).waitFor();
    const bars = chart().getByRole('button', { name: /: [1-9]\d* events?/ });
    const label = await bars.first().getAttribute('aria-label');
    const inBar = Number(/: (\d+) event/.exec(label!)![1]);
    await bars.first().press('Enter');
    await rowsAre(inBar);
    expect([...new URLSearchParams(search()).keys()]).toEqual(['since', 'until']);
    expect(label).toContain(new URLSearchParams(search()).get('since')!.slice(0, 10));
    // A selection by keyboard covers all bars.
    await show(page, '/events?range=1h');
    await chartIsLoaded();
    await chart().getByRole('button').last().focus();
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Enter');
    await until('the selection is applied', () => search().includes('since='));
    await rowsAreAll();
  });

  it('is about a target, once that is chosen: status, filter, chart and replay', async () => {
    const refusing = await RecordingTarget.start(400);
    const policy = { retry: { delays_s: [] }, breaker: null };
    const ids = [];
    for (const [name, url] of [
      ['Bad', refusing.url],
      ['Good', target.url],
    ]) {
      const added = await daemon.request('POST', '/targets', { name, url, events: ['split.*'], policy });
      ids.push((added.body as Target).id);
    }
    const [bad = '', good = ''] = ids;
    await emit(daemon, 'split.event', { id: 95 });
    await show(page, '/events?type=split.event');
    await rows()
      .getByText(/^1 failed, \d delivered$/)
      .waitFor();
    await page.getByLabel('Target', { exact: true }).selectOption(good);
    await rows().getByText('Delivered', { exact: true }).waitFor();
    await page.getByText('At Good', { exact: true }).waitFor();
    expect(
      await rows()
        .getByText(/^\d\/\d$/)
        .count(),
    ).toBe(0);
    await chart()
      .getByRole('button', { name: /: 1 event, 1 delivered$/ })
      .waitFor();
    await page.getByLabel('Status').selectOption('dead');
    await page.getByRole('heading', { name: 'No events match' }).waitFor();
    await page.getByLabel('Target', { exact: true }).selectOption(bad);
    await rows().getByText('Failed', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Replay these' }).click();
    await page.getByText('split.event that failed at Bad').waitFor();
    await page.getByRole('button', { name: 'Replay 1 event' }).waitFor();
    for (const id of ids) await daemon.request('DELETE', `/targets/${id}`);
    await refusing.close();
  });

  it('shows an event beside the list, and compares two', async () => {
    await show(page, '/events?type=deal.updated&q=order');
    await rows().filter({ hasText: 'Order 1' }).last().getByRole('link').first().click();
    await preview().getByText('"name": "Order 1"').waitFor();
    await preview().getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await preview().getByText('"name": "Order 2"').waitFor();
    await page.keyboard.press('x');
    await page.getByText('2 events selected').waitFor();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const differences = page.getByRole('dialog', { name: 'What differs' });
    await differences.getByText('"Order 2"').waitFor();
    expect(await differences.textContent()).toMatch(/"Order 1"\s*→\s*changed to\s*"Order 2"/);
    await page.keyboard.press('Escape');
    await differences.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await preview().waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/events');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByText('2 events selected').waitFor({ state: 'detached' });
  });
}
