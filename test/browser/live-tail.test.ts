import type { Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Stats } from '../../src/contract/stats';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { show } from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { ownEvents, readThrough, rowsInSight, tail, waiting } from '../support/browser/tail-reader';
import { until } from '../support/until';

/** What two busy cores carry beside a browser; the long form sends a thousand (`npm run test:faults -- live-tail`). */
const PER_SECOND = 200;
const SOME = 400;

let stand: BrowserSession;
let daemon: Daemon;
let client: WebhookSender;
let page: Page;
let firstId = 1;

beforeAll(async () => {
  stand = await BrowserSession.open();
  ({ daemon } = stand);
  client = stand.keep(new WebhookSender(daemon.webhook));
  ({ page } = await stand.enter());
});

afterAll(() => stand?.close());

/** Notifications at a steady pace while something is done; the ids of the events that they were answered with. */
async function during(act: (sent: RetryingSender) => Promise<void>): Promise<string[]> {
  const sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id, firstId);
  sender.start();
  try {
    await act(sender);
  } finally {
    sender.stop();
  }
  await sender.settled(60_000);
  firstId += sender.notifications.length;
  return sender.acked.map(({ acked }) => acked!.id!);
}

/** Waits until so many more have been answered. */
const more = (sender: RetryingSender, count = SOME) => sender.more(count, 30_000);

/** Waits until the newest event is in the list; nothing may wait then. */
async function letIn(): Promise<void> {
  await page.keyboard.press('n');
  await page.mouse.move(0, 0);
  await waiting(page).waitFor({ state: 'hidden' });
}

/** All that was answered 200. */
const told: string[] = [];
async function expectAllOnce(): Promise<void> {
  const read = await readThrough(page);
  const all = [...told, ...(await ownEvents(daemon))];
  expect(read).toHaveLength(all.length);
  expect(new Set(read)).toEqual(new Set(all));
}
const isThere = (id: string) => page.locator(`[data-tail] a[href$="${id}"]`).waitFor();

it('shows every event that was answered 200 exactly once, newest first, while they stream', async () => {
  await show(page, '/live');
  told.push(...(await during((sender) => more(sender, 3 * SOME))));
  await isThere(told.at(-1)!);
  await expectAllOnce();
}, 120_000);

it('stands still while it is paused, counts what waits, and loses none of it', async () => {
  await letIn();
  told.push(
    ...(await during(async (sender) => {
      await more(sender);
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      const seen = await rowsInSight(page);
      await more(sender);
      expect(await rowsInSight(page)).toEqual(seen);
    })),
  );
  const newest = (await rowsInSight(page))[0]!.id;
  const { seq } = await daemon.get<EventSummary>(`/events/${newest}`);
  const { last_seq: last } = await daemon.get<Stats>('/stats');
  expect(last - seq).toBeGreaterThanOrEqual(SOME);
  await waiting(page)
    .filter({ hasText: new RegExp(`^${(last - seq).toLocaleString('en-US')} new$`) })
    .waitFor();
  await page.keyboard.press('p');
  await waiting(page).waitFor({ state: 'hidden' });
  await expectAllOnce();
}, 120_000);

it('keeps what is read where it is, however much arrives above', async () => {
  await letIn();
  told.push(
    ...(await during(async (sender) => {
      await more(sender, SOME / 2);
      await page.locator('[data-tail]').evaluate((list) => list.scrollTo({ top: 2_000 }));
      await tail(page).getByText('paused while scrolled down').waitFor();
      const seen = await rowsInSight(page);
      await more(sender);
      expect(await rowsInSight(page)).toEqual(seen);
    })),
  );
  await letIn();
  await isThere(told.at(-1)!);
}, 120_000);

it('takes in and counts only what fits its filter', async () => {
  await show(page, '/live?type=task.*');
  await page.getByText('No events match this filter').waitFor();
  await during(async (sender) => {
    await more(sender, SOME / 2);
    const task = await emit(daemon, 'task.created', { id: 1 });
    await isThere(task);
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    for (const id of [2, 3, 4]) await emit(daemon, 'task.created', { id });
    await more(sender, SOME / 2);
    await waiting(page)
      .filter({ hasText: /^3 new$/ })
      .waitFor();
    expect(await rowsInSight(page)).toHaveLength(1);
    await page.keyboard.press('p');
  });
  await until('all four are there', async () => (await rowsInSight(page)).length === 4);
}, 120_000);
