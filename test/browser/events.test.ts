import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { ReplaySummary } from '../../src/contract/replay';
import { BrowserSession } from '../support/browser/browser-session';
import { sqliteDriver } from '../../src/relay/database/sqlite/sqlite-driver';
import { Daemon } from '../support/daemon/daemon';
import {
  accessibilityViolations,
  holdRequests,
  withLook,
  openLoginLink,
  horizontalOverflow,
  load,
  show,
  press,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const LONG_MS = 240_000;
const PHONE = { width: 390, height: 844 };
/** Inserted while the daemon is stopped. */
const STORED = 100_000;

let session: BrowserSession;
let daemon: Daemon;
let target: RecordingTarget;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  target = session.closeLater(await RecordingTarget.start());
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

const rows = () => page.getByRole('list', { name: 'Matching events' }).getByRole('listitem');
const chips = () => page.getByRole('list', { name: 'Active filters' }).getByRole('listitem');
const search = () => new URL(page.url()).search;
const rowsAre = (count: number) =>
  until(`${count} rows`, async () => (await rows().count()) === count, 20_000);

const entityOf = (row: string) => /contact:\d+?(?=Contact)/.exec(row)?.[0];
const rowsAreAll = async () =>
  rowsAre((await daemon.get<ListPage<EventSummary>>('/events?limit=200&origin=copilot')).data.length);
const timeRange = () => page.getByRole('button', { name: /^Received: / });
const chart = () => page.getByRole('region', { name: 'Matching events by time' });
/** Until then, the chart of the previous search is shown. */
const chartIsLoaded = () => page.locator('[aria-label="Matching events by time"]:not([aria-busy])').waitFor();
const preview = () => page.getByRole('complementary', { name: 'Selected event' });
const focusedRow = () => page.evaluate(() => document.activeElement?.closest('li')?.textContent ?? '');

describe('the events screen', () => {
  it(
    'searches by text, type, entity, status, target and time, with a shareable URL',
    async () => {
      const added = await daemon.addTarget('orders', target.url);
      for (let i = 1; i <= 12; i += 1) {
        const type = i % 4 === 0 ? 'task.created' : 'deal.updated';
        await emit(daemon, type, {
          id: i,
          name: `Order ${i}`,
          note: i === 7 ? 'Größe <b>XL</b> & "more"' : 'plain',
        });
      }
      await show(page, '/events');
      await rowsAreAll();
      await page.getByLabel('Text in the payload').fill('Größe <b>xxl');
      await page.getByRole('heading', { name: 'No events match' }).waitFor();
      await page.getByLabel('Text in the payload').fill('Größe <b>xl');
      await rowsAre(1);
      await page.getByRole('link', { name: 'deal.updated' }).waitFor();
      expect(new URLSearchParams(search()).get('q')).toBe('Größe <b>xl');
      expect(await chips().first().textContent()).toBe('text: Größe <b>xl');
      await page.reload();
      await rowsAre(1);
      await page.getByRole('button', { name: 'Clear all' }).click();
      await rowsAreAll();
      await page.getByLabel('Status').selectOption('Delivered');
      await page.getByLabel('Target').selectOption('orders');
      await rowsAre(12);
      expect(search()).toBe(`?status=succeeded&target=${added.id}`);
      await page.getByRole('combobox', { name: 'Type' }).fill('task.*');
      await page.keyboard.press('Enter');
      await rowsAre(3);
      await timeRange().click();
      await page.getByLabel('Until').fill('2020-01-01 00:00');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'No events match' }).waitFor();
      await page.getByRole('link', { name: 'Clear all filters' }).click();
      await rowsAreAll();
      expect(search()).toBe('');
    },
    LONG_MS,
  );

  it('goes back through previous searches, and removes single filters', async () => {
    await show(page, '/events?type=deal.updated&type=task.*&status=succeeded');
    await chips().first().waitFor();
    expect(await chips().allTextContents()).toEqual([
      'deal.updated',
      'task.*',
      'status: Delivered',
      'Clear all',
    ]);
    await page.getByRole('button', { name: 'Remove filter deal.updated' }).click();
    await rowsAre(3);
    expect(search()).toBe('?type=task.*&status=succeeded');
    await page.getByRole('link', { name: 'task:8' }).click();
    await rowsAre(1);
    expect(search()).toBe('?entity=task:8');
    expect(await chips().first().textContent()).toBe('task:8');
    await page.goBack();
    await rowsAre(3);
    await page.goBack();
    await rowsAre(12);
    expect(await chips().allTextContents()).toEqual([
      'deal.updated',
      'task.*',
      'status: Delivered',
      'Clear all',
    ]);
  });

  it(
    'can be used by keyboard: search, move, open, go back, replay',
    async () => {
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
      await page.getByRole('dialog', { name: 'Replay this event' }).waitFor();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await until('the replay reaches the target', () => target.hits.length === before + 1);
    },
    LONG_MS,
  );

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

  it('has one control for the time, whose relative ranges stay relative', async () => {
    await show(page, '/events');
    await timeRange().click();
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await page.getByRole('button', { name: /^Received: Last 24 hours$/ }).waitFor();
    expect(search()).toBe('?range=24h');
    expect(await chips().first().textContent()).toBe('received: Last 24 hours');
    await timeRange().click();
    const dialog = page.getByRole('dialog', { name: 'Received' });
    await dialog.getByLabel('From').fill('yesterday evening');
    await page.keyboard.press('Enter');
    await dialog.getByText('Write it as 2026-11-22 23:00.').waitFor();
    await dialog.getByLabel('From').fill('2020-01-01 23:00');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Received: From 2020-01-01 23:00$/ }).waitFor();
    expect(new URLSearchParams(search()).get('since')).toMatch(/^20(19|20)-/);
  });

  it('names what it cannot use of its URL, and leaves it out', async () => {
    await load(page, '/events?since=nonsense&target=crm&type=deal.*');
    expect(await timeRange().textContent()).toBe('Any time');
    const note = page.getByRole('alert').filter({ hasText: 'since=nonsense, target=crm' });
    await note.waitFor();
    await press(note.getByRole('button', { name: 'OK' }));
    await note.waitFor({ state: 'detached' });
    expect(search()).toBe('?type=deal.*');
  });

  it('says which value of its URL the daemon rejects, and offers to clear the filters', async () => {
    await load(page, `/events?q=${'x'.repeat(201)}`);
    const error = page.getByRole('region', { name: 'Results' }).getByRole('alert');
    expect(await error.innerText()).toMatch(/q: .*200/);
    await press(error.getByRole('link', { name: 'Clear all filters' }));
    await rowsAreAll();
    expect(search()).toBe('');
  });

  it('searches by conditions on the payload, and shows its fields as columns', async () => {
    await show(page, '/events');
    await rowsAreAll();
    await page.getByRole('button', { name: 'Payload condition' }).click();
    await page.getByLabel('Field').fill('data.id');
    await page.getByLabel('Condition', { exact: true }).selectOption('at most');
    await page.getByLabel('Value').fill('3');
    await page.keyboard.press('Enter');
    await rowsAre(3);
    expect(await chips().first().textContent()).toBe('data.id at most 3');
    expect(new URLSearchParams(search()).get('payload')).toBe('{"data.id":{"$lte":3}}');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Find a payload field').fill('note');
    await page.getByRole('checkbox', { name: /^data\.note/ }).click();
    await page.keyboard.press('Escape');
    await until('the values are shown', async () =>
      (await rows().allTextContents()).every((text) => text.includes('plain')),
    );
    expect(new URLSearchParams(search()).get('column')).toBe('data.note');
    await page.reload();
    await rowsAre(3);
    expect(await rows().first().textContent()).toContain('plain');
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
    expect(await differences.textContent()).toContain('"Order 1"→changed to"Order 2"');
    await page.keyboard.press('Escape');
    await differences.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await preview().waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/events');
  });

  it('hides the events of Switchboard itself unless they are asked for', async () => {
    await show(page, '/events');
    await rowsAreAll();
    await page.getByRole('button', { name: 'System events' }).click();
    await rows().filter({ hasText: 'relay.' }).first().waitFor();
    expect(search()).toBe('?system=shown');
    await show(page, '/events?type=relay.*');
    await rows().filter({ hasText: 'relay.' }).first().waitFor();
  });

  it('passes its filter to a new replay, which opens ready to start', async () => {
    await show(page, '/events?type=task.*&status=succeeded&q=order');
    await page.getByRole('link', { name: 'Replay these' }).click();
    await page.getByRole('heading', { name: 'New replay' }).waitFor();
    expect(search()).toBe('?type=task.*&outcome=succeeded&q=order&step=start');
    expect((await daemon.get<ListPage<ReplaySummary>>('/replays')).data.length).toBeLessThan(2);
  });

  it(
    'shows an error if the daemon does not respond, and recovers',
    async () => {
      await show(page, '/events');
      await page.route('**/api/v1/events?*', (route) => route.abort());
      await page.getByLabel('Text in the payload').fill('order 5');
      await page.getByRole('button', { name: 'Try again' }).waitFor({ timeout: 30_000 });
      await page.unroute('**/api/v1/events?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await rowsAre(1);
    },
    LONG_MS,
  );
});

describe('with a hundred thousand events', () => {
  beforeAll(async () => {
    await daemon.stop();
    const database = new sqliteDriver(daemon.databaseFile);
    database.exec(`INSERT INTO events(seq, received_at, type, entity, name, headers, signature_header, signature_value, body)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${STORED})
      SELECT (SELECT max(seq) FROM events) + i, ${Date.now()}, 'contact.updated', 'contact:' || i, 'Contact ' || i, '[]', 'x-signature', '00',
        CAST(json_object('event', 'contact.updated', 'data', json_object('id', i, 'name', 'Contact ' || i, 'text', hex(zeroblob(100)))) AS BLOB)
      FROM n`);
    database.close();
    await daemon.restart();
    await openLoginLink(page, ((await daemon.request('POST', '/login-links')).body as { url: string }).url);
  }, LONG_MS);

  it(
    'scrolls through thousands with few rows in the document, and restores its position',
    async () => {
      await show(page, '/events');
      await page.getByText('Contact 100000').waitFor();
      const list = page.getByRole('list', { name: 'Matching events' });
      const listHeight = async () => (await list.boundingBox())!.height;
      for (let height = await listHeight(); height < 36 * 1_500; height = await listHeight()) {
        await list.evaluate((element) => element.parentElement!.scrollTo({ top: element.scrollHeight }));
        await until('older events are loaded', async () => (await listHeight()) > height);
      }
      expect(await rows().count()).toBeLessThan(100);
      const first = rows().nth(20).getByRole('link').first();
      const opened = entityOf((await rows().nth(20).textContent()) ?? '');
      await first.press('Enter');
      await until('the event is shown', () => Promise.resolve(page.url().includes('/events/evt_')));
      await page.goBack();
      await page
        .getByText(/Contact \d+/)
        .first()
        .waitFor();
      await until('the row is shown again', async () =>
        (await rows().allTextContents()).some((text) => entityOf(text) === opened),
      );
    },
    LONG_MS,
  );

  it('finds a single event by its text', async () => {
    await page.getByLabel('Text in the payload').fill('contact 4711"');
    await rowsAre(1);
    await page.getByRole('link', { name: 'contact:4711' }).waitFor();
  });

  it(
    'shows the progress of an export, and saves nothing when it is cancelled',
    async () => {
      await show(page, '/events?type=contact.*');
      let downloads = 0;
      page.on('download', () => (downloads += 1));
      await page.getByRole('button', { name: 'Export these' }).click();
      await page.getByRole('button', { name: /^NDJSON/ }).click();
      await page.getByText(/of (about )?1?\d\d,\d{3}, [\d.]+ [kM]B/).waitFor();
      await page.getByRole('progressbar', { name: 'Export' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Export cancelled. No file was saved.').waitFor();
      expect(downloads).toBe(0);
    },
    LONG_MS,
  );
});

it.each([
  ['light', 1440],
  ['dark', PHONE.width],
] as const)(
  'has no accessibility violations and no horizontal overflow (%s, %d wide)',
  async (colorScheme, width) => {
    await withLook(page, { colorScheme, viewport: { ...PHONE, width } }, async () => {
      for (const path of ['/events', '/events?q=order&type=deal.*&status=succeeded', '/events?q=nowhere']) {
        await show(page, path);
        await page
          .getByText(/^(Order \d+|No events match|Contact 100000)$/)
          .first()
          .waitFor();
        if (width === PHONE.width) await page.getByRole('button', { name: 'Filters' }).click();
        expect({ path, found: await accessibilityViolations(page) }).toEqual({ path, found: [] });
        expect({ path, overflow: await horizontalOverflow(page) }).toEqual({ path, overflow: 0 });
      }
    });
  },
  LONG_MS,
);
