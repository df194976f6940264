import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { EventDetail } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Repair } from '../../src/contract/repair';
import { BrowserSession } from '../support/browser/browser-session';
import {
  accessibilityViolations,
  horizontalOverflow,
  load,
  panel,
  press,
  show,
  violationsInBothThemes,
  withLook,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { until } from '../support/until';

let session: BrowserSession;
let page: Page;
/** When the first and the last version of `deal:1` were received. */
let [first, last] = ['', ''];

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ page } = await session.enter());
});
afterAll(() => session?.close());

const rows = () => page.getByRole('list', { name: 'Entities' }).getByRole('link');
const row = (name: string) => rows().filter({ hasText: name });
const tab = (name: string) => page.getByRole('navigation', { name: 'Entities by kind' }).getByText(name);
const deal = (type: string, id: number, minute: number, data: object) =>
  emit(session.daemon, `deal.${type}`, { id, updated_at: `2026-03-02T09:0${minute}:00Z`, ...data });
const receivedAt = async (id: string) => (await session.daemon.get<EventDetail>(`/events/${id}`)).received_at;

it('entities are none before an event has arrived, then are listed while they arrive', async () => {
  await load(page, '/entities');
  await page.getByRole('heading', { name: 'No entities yet' }).waitFor();
  first = await receivedAt(await deal('created', 1, 1, { name: 'Solar roof', status_id: 2 }));
  await row('Solar roof').getByText('deal:1').waitFor();
  // Another millisecond, so that the first is known before the others.
  await until('time passes', () => new Date().toISOString() > first);
  last = await receivedAt(await deal('updated', 1, 3, { name: 'Solar roof', status_id: 3 }));
  await deal('created', 2, 2, { name: 'Wind park', status_id: 3 });
  await deal('deleted', 3, 2, { name: 'Lost one', status_id: 9 });
  await emit(session.daemon, 'contact.created', { id: 7, name: 'Ada' });
  await row('Ada').waitFor();
  expect(await rows().count()).toBe(3);
});

it('is read again once all deals are imported, which makes no events', async () => {
  await page.getByRole('button', { name: 'Import all deals' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import all deals' });
  await press(dialog.getByRole('button', { name: 'Read all deals' }));
  await dialog.getByText('They are compared in').waitFor();
  // The daemon itself stores what it has read only after these seconds.
  await page.route(/\/repairs\?/, async (route) => {
    const { data } = (await (await route.fetch()).json()) as ListPage<Repair>;
    const done = { state: 'done', counts: { ...data[0]!.counts, missing: 4, same: 2 } };
    await route.fulfill({ json: { data: [{ ...data[0]!, ...done }], next_cursor: null } });
  });
  await page.waitForRequest(/\/entities\?/);
  await dialog.getByText('4 deals imported; 2 known before.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('All deals were imported').waitFor();
  await page.unrouteAll();
});

describe('the list of entities', () => {
  it('has a tab with a count for each kind, and leaves out what was deleted unless it is asked for', async () => {
    await load(page, '/entities');
    await tab('Deals 2').click();
    await page.waitForURL(/kind=deal/);
    await until('only deals are listed', async () => (await rows().count()) === 2);
    await tab('Contacts 1').waitFor();
    expect(await tab('Tasks').count()).toBe(0);
    await page.getByLabel('State').selectOption('deleted');
    await row('Lost one').getByText('Deleted').waitFor();
    await tab('Deals 1').waitFor();
  });

  it('is searched by a condition on a field, which can be a column', async () => {
    await show(page, '/entities?kind=deal');
    await press(page.getByRole('button', { name: 'Payload condition' }));
    await page
      .getByRole('textbox', { name: 'Field' })
      .or(page.getByLabel('Field'))
      .first()
      .fill('data.status_id');
    await page.getByLabel('Value').fill('3');
    await page.getByLabel('Value').press('Enter');
    await page.getByRole('button', { name: 'Remove filter data.status_id is 3' }).waitFor();
    await show(page, `${new URL(page.url()).pathname}${new URL(page.url()).search}&column=data.status_id`);
    await row('Solar roof').getByText('3', { exact: true }).waitFor();
    await until('both match', async () => (await rows().count()) === 2);
    await show(page, '/entities?q=nowhere');
    await page.getByRole('heading', { name: 'No entity matches' }).waitFor();
  });

  it('shows what was known at an earlier time', async () => {
    await show(page, `/entities?as_of=${first}&column=data.status_id`);
    await row('Solar roof').getByText('2', { exact: true }).waitFor();
    expect(await rows().count()).toBe(1);
    await press(page.getByRole('button', { name: /^As of/ }));
    await page.getByLabel('Time').fill('soon');
    await page.getByLabel('Time').press('Enter');
    await page.getByText('Write it as 2026-11-22 23:00.').waitFor();
    await page.getByRole('button', { name: 'now', exact: true }).click();
    await row('Solar roof').getByText('3', { exact: true }).waitFor();
  });

  it('shows what has changed since an earlier time, before and after', async () => {
    await show(page, `/entities?from=${first}`);
    const changed = page.getByRole('list', { name: 'Changed entities' }).locator('> li');
    await until('all are compared', async () => (await changed.count()) === 4);
    const solar = changed.filter({ hasText: 'deal:1' });
    await solar.getByText('Changed', { exact: true }).waitFor();
    expect(
      (await solar.locator('ul > li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
    ).toEqual(['status_id 2 → changed to 3', expect.stringMatching(/^updated_at /)]);
    await changed.filter({ hasText: 'Wind park' }).getByText('Created').waitFor();
    await changed.filter({ hasText: 'Lost one' }).getByText('Deleted').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  it('is exported as a table', async () => {
    await show(page, '/entities?kind=deal&column=data.status_id');
    const download = page.waitForEvent('download');
    await press(page.getByRole('button', { name: 'Export CSV' }));
    expect((await download).suggestedFilename()).toMatch(/^entities-.*\.csv$/);
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines[0]).toMatch(/entity,name,.*,data\.status_id$/);
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['deal:1', 'deal:2']);
  });

  it('fits a small phone', async () => {
    await withLook(page, { colorScheme: 'dark', viewport: { width: 360, height: 780 } }, async () => {
      for (const path of ['/entities?column=data.status_id', `/entities?from=${first}`, '/entities/deal:1']) {
        await show(page, path);
        await page.getByText('Solar roof').first().waitFor();
        expect(await horizontalOverflow(page)).toBe(0);
        expect(await accessibilityViolations(page)).toEqual([]);
      }
    });
  });
});

describe('the page of an entity', () => {
  it('is opened by keyboard and leads back, and shows the state now with its record', async () => {
    await show(page, '/entities?kind=deal');
    await row('Solar roof').waitFor();
    await row('Solar roof').focus();
    await page.keyboard.press('Enter');
    const now = panel(page, 'State now');
    await now.getByRole('treeitem', { name: 'status_id: 3' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Entities' }).click();
    await row('Wind park').waitFor();
  });

  it('marks a late event, which does not change the state, and gaps between its events', async () => {
    const late = await deal('updated', 1, 2, { name: 'Solar roof', status_id: 1 });
    await session.daemon.stop();
    session.daemon.alterDatabase(
      `INSERT INTO outages(id, kind, began_at, ended_at, after_seq)
         SELECT 'out_01arz3ndektsv4rrffq69g5fav', 'downtime', received_at, received_at + 60000, seq
         FROM events WHERE entity = 'deal:1' ORDER BY seq LIMIT 1`,
    );
    await session.daemon.restart();
    await load(page, '/entities/deal:1');
    const list = page.getByRole('list', { name: 'Events' }).locator('> li');
    await list.first().getByText('Late: older than what was already known').waitFor();
    await until('the gap is the last but one', async () =>
      ((await list.nth(2).textContent()) ?? '').includes('Events may have been missed'),
    );
    await panel(page, 'State now').getByRole('treeitem', { name: 'status_id: 3' }).waitFor();
    await show(page, `/events/${late}`);
    const known = panel(page, 'What changed').getByRole('link', { name: /^\(evt_/ });
    await known.click();
    await until(
      'the event that told more',
      async () => (await receivedAt(page.url().split('/').at(-1)!)) === last,
    );
    expect(await violationsInBothThemes(page)).toEqual([]);
  });
});
