import type { Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Stats } from '../../src/contract/stats';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { show } from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { RetryingSender } from '../support/fakes/retrying-sender';
import {
  systemEvents,
  readWholeList,
  visibleRows,
  tail,
  newEventsButton,
} from '../support/browser/tail-reader';
import { until } from '../support/until';

/** As much as two busy cores handle beside a browser; `npm run test:faults -- live-tail` sends a thousand. */
const PER_SECOND = 60;
const EVENTS = 100;

let session: BrowserSession;
let daemon: Daemon;
let client: WebhookSender;
let page: Page;
let firstId = 1;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  client = session.closeLater(new WebhookSender(daemon.webhook));
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

/** Sends notifications at a steady rate during an action. @returns the ids of their events */
async function sendDuring(action: (sent: RetryingSender) => Promise<void>): Promise<string[]> {
  const sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id, firstId);
  sender.start();
  try {
    await action(sender);
  } finally {
    sender.stop();
  }
  await sender.waitUntilFinished(60_000);
  firstId += sender.notifications.length;
  return sender.acknowledged.map(({ acknowledgement }) => acknowledgement!.id!);
}

/** Waits until more notifications were acknowledged. */
const more = (sender: RetryingSender, count = EVENTS) => sender.waitForAcknowledged(count);

/** Waits until the newest event is in the list and none is held. */
async function waitForNewest(): Promise<void> {
  await page.keyboard.press('n');
  await page.mouse.move(0, 0);
  await newEventsButton(page).waitFor({ state: 'hidden' });
}

/** The ids of all acknowledged events. */
const acknowledgedIds: string[] = [];
async function expectAllOnce(): Promise<void> {
  const read = await readWholeList(page);
  const all = [...acknowledgedIds, ...(await systemEvents(daemon))];
  expect(read).toHaveLength(all.length);
  expect(new Set(read)).toEqual(new Set(all));
}
/** A notification that is sent again because no response came in time is newer than the last one. */
async function waitForLatest(): Promise<void> {
  const { data } = await daemon.get<ListPage<EventSummary>>('/events?limit=1');
  await waitForEvent(data[0]!.id);
}
const waitForEvent = (id: string) =>
  page.locator(`[data-tail] a[href$="${id}"]`).waitFor({ timeout: 90_000 });

it('shows every acknowledged event exactly once, newest first, while they stream', async () => {
  await show(page, '/live?system=shown');
  acknowledgedIds.push(...(await sendDuring((sender) => more(sender, 3 * EVENTS))));
  await waitForLatest();
  await expectAllOnce();
});

it('does not move while paused, counts held events, and loses none', async () => {
  await waitForNewest();
  acknowledgedIds.push(
    ...(await sendDuring(async (sender) => {
      await more(sender);
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      const seen = await visibleRows(page);
      await more(sender);
      expect(await visibleRows(page)).toEqual(seen);
    })),
  );
  const newest = (await visibleRows(page))[0]!.id;
  const { seq } = await daemon.get<EventSummary>(`/events/${newest}`);
  const { last_seq: last } = await daemon.get<Stats>('/stats');
  expect(last - seq).toBeGreaterThanOrEqual(EVENTS);
  await newEventsButton(page)
    .filter({ hasText: new RegExp(`^${(last - seq).toLocaleString('en-US')} new$`) })
    .waitFor();
  await page.keyboard.press('p');
  await newEventsButton(page).waitFor({ state: 'hidden' });
  await expectAllOnce();
});

it('keeps the rows in view in place, however many arrive above', async () => {
  await waitForNewest();
  acknowledgedIds.push(
    ...(await sendDuring(async (sender) => {
      await more(sender, EVENTS / 2);
      await page.locator('[data-tail]').evaluate((list) => list.scrollTo({ top: 2_000 }));
      await tail(page).getByText('paused while scrolled down').waitFor();
      const seen = await visibleRows(page);
      await more(sender);
      expect(await visibleRows(page)).toEqual(seen);
    })),
  );
  await waitForNewest();
  await waitForLatest();
});

it('shows and counts only events that match its filter', async () => {
  await show(page, '/live?type=task.*');
  await page.getByText('No events match this filter').waitFor();
  await sendDuring(async (sender) => {
    await more(sender, EVENTS / 2);
    const task = await emit(daemon, 'task.created', { id: 1 });
    await waitForEvent(task);
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    for (const id of [2, 3, 4]) await emit(daemon, 'task.created', { id });
    await more(sender, EVENTS / 2);
    await newEventsButton(page)
      .filter({ hasText: /^3 new$/ })
      .waitFor();
    expect(await visibleRows(page)).toHaveLength(1);
    await page.keyboard.press('p');
  });
  await until('all four are shown', async () => (await visibleRows(page)).length === 4);
});

it('filters by type and by name while they are typed, and leads on to a search of the payloads', async () => {
  await emit(daemon, 'contact.created', { id: 5, name: 'The Granite works' });
  await show(page, '/live');
  // Between two filters there is no list.
  const shown = page.locator('[data-tail] li');
  const field = page.getByRole('combobox', { name: 'Filter events' });
  await field.pressSequentially('contact.cr');
  await until('other types are gone', async () => (await shown.count()) === 1);
  await field.fill('');
  await field.pressSequentially('granite');
  await until('others are gone', async () => (await shown.count()) === 1);
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.press('Enter');
  await until('it is a part of the name', () => new URL(page.url()).search === '?name=granite');
  expect(await page.getByRole('option').count()).toBe(0);
  await emit(daemon, 'deal.updated', { id: 6, name: 'Marble' });
  await emit(daemon, 'deal.updated', { id: 7, name: 'Granite' });
  await until('the new one is shown', async () => (await shown.count()) === 2);
  await field.pressSequentially('grey');
  await page.getByRole('heading', { name: 'No events match this filter' }).waitFor();
  await page.getByRole('link', { name: 'Search the payloads of all events for it' }).click();
  await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?q=granite+grey');
});
