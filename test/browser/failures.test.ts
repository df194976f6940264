import { join } from 'node:path';
import type { DeadLetterCauses } from '../../src/contract/dead-letter';
import type { Page } from 'playwright-core';
import type { Delivery, DeliveryJob } from '../../src/contract/delivery';
import type { Page as ListPage } from '../../src/contract/page';
import type { TargetCreated } from '../../src/contract/target';
import { sqliteDriver } from '../../src/relay/database/sqlite/sqlite-driver';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import {
  accessibilityViolations,
  focusIsOnPage,
  holdRequests,
  withLook,
  horizontalOverflow,
  press,
  load,
  show,
  waitUntilOpen,
  navigationLink,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const LONG_MS = 180_000;
/** The request for the list of targets. */
const TARGETS_LIST = /\/api\/v1\/targets\?/;
const PHONE = { width: 390, height: 844 };
/** One attempt, so that a rejected delivery fails immediately. */
const ONE_ATTEMPT = { retry: { delays_s: [] }, breaker: null };
/** A job on them takes many transactions. */
const DEAD_LETTERS = 40_000;

let session: BrowserSession;
let daemon: Daemon;
let rejecting: RecordingTarget;
let ordered: RecordingTarget;
let page: Page;
let number = 0;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  rejecting = session.closeLater(await RecordingTarget.start(404));
  ordered = session.closeLater(await RecordingTarget.start(500));
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

async function addTarget(name: string, url: string, more: object): Promise<TargetCreated> {
  const { status, body } = await daemon.request('POST', '/targets', { name, url, ...more });
  expect(status).toBe(201);
  return body as TargetCreated;
}

/** Sends a notification. @returns the id of its event */
function notify(type: string): Promise<string> {
  number += 1;
  return emit(daemon, type, { id: number });
}

const deadLetters = async (query = '') =>
  (await daemon.get<ListPage<Delivery>>(`/dead-letters?limit=200${query}`)).data;
const untilDead = (count: number) =>
  until('all are dead letters', async () => (await deadLetters()).length === count);

const causeRow = (words: string) => page.getByRole('listitem').filter({ hasText: words }).first();

describe('the failures screen', () => {
  it('explains itself while there are no dead letters', async () => {
    await show(page, '/');
    await navigationLink(page, 'Failures').click();
    await page.getByRole('heading', { name: 'No failed deliveries' }).waitFor();
    await page.getByText('8 attempts over about 12 hours').waitFor();
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  });

  it('groups dead letters by cause, with advice', async () => {
    await addTarget('rejecting', rejecting.url, { policy: ONE_ATTEMPT, events: ['contact.*', 'task.*'] });
    await addTarget('in order', ordered.url, {
      policy: { ...ONE_ATTEMPT, ordering: 'entity' },
      events: ['deal.*'],
    });
    for (const type of ['contact.created', 'contact.updated', 'task.created', 'deal.created'])
      await notify(type);
    await untilDead(4);
    await show(page, '/failures');
    await page.getByText('4 dead letters').waitFor();
    const notFound = causeRow('HTTP 404');
    await notFound.getByText('Check the path in the target’s address.').waitFor();
    await notFound.getByRole('button', { name: /^Retry 3 for rejecting/ }).waitFor();
    const serverError = causeRow('HTTP 500');
    await serverError.getByText('This target is ordered; retries are sent out of order.').waitFor();
    await press(notFound.getByRole('button', { expanded: false }));
    const reasons = notFound.getByText('1 attempt', { exact: true });
    await until('each has its reason', async () => (await reasons.count()) === 3);
  });

  it('aligns the titles of causes, however many dead letters they have', async () => {
    await page.route('**/dead-letters/causes*', async (route) => {
      const response = await route.fetch();
      const causes = (await response.json()) as DeadLetterCauses;
      causes.data[0]!.deliveries = 12_345;
      await route.fulfill({ response, json: causes });
    });
    await page.reload();
    await page.getByText('12,345', { exact: true }).waitFor();
    const titles = await Promise.all(
      ['HTTP 404', 'HTTP 500'].map((words) => causeRow(words).getByText(words).first().boundingBox()),
    );
    await page.unroute('**/dead-letters/causes*');
    await page.reload();
    expect(titles[0]!.x).toBe(titles[1]!.x);
  });

  it('shows the latest response of each cause as text, and when it was first and last seen', async () => {
    rejecting.respondWith((response) =>
      response.writeHead(404).end(`<b>no\u202e route</b> ${'x'.repeat(900)}`),
    );
    await show(page, '/failures?error=500');
    const single = causeRow('HTTP 500');
    await single.getByText(/^Latest response, /).waitFor();
    expect(await single.getByText(/^First seen /).count()).toBe(0);
    await show(page, '/failures?error=404');
    const group = causeRow('HTTP 404');
    await group.getByText(/^Latest response, .*: HTTP 404 without a body$/).waitFor();
    await group.getByRole('figure', { name: 'Last 24 hours: 3 of 3' }).waitFor();
    await group.getByText(/^First seen .* ago, last seen .* ago$/).waitFor();
  });

  it('asks before it retries many, shows how the target responds now, and sends one first', async () => {
    const before = rejecting.hits.length;
    await press(page.getByRole('button', { name: 'Retry all 3', exact: true }));
    const dialog = page.getByRole('dialog', { name: 'Retry 3 deliveries to rejecting?' });
    await dialog.getByText(/^rejecting: It still responds HTTP 404 \(.* ago\)\.$/).waitFor();
    expect(rejecting.hits).toHaveLength(before);
    await press(dialog.getByRole('button', { name: 'Send one first' }));
    await dialog.getByText(/Failed: HTTP 404/).waitFor();
    expect(await dialog.getByText('<b>no').textContent()).toContain('<b>no\\u202e route</b>');
    expect(rejecting.hits).toHaveLength(before + 1);
    await press(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'detached' });
    expect((await daemon.get<ListPage<DeliveryJob>>('/deliveries/jobs')).data).toEqual([]);
    const excerpt = causeRow('HTTP 404').getByText('<b>no');
    expect(await excerpt.textContent()).toMatch(/^<b>no\\u202e route<\/b> x{300,400}$/);
  });

  it('filters by target, error, type and time, with a shareable URL', async () => {
    await page.getByLabel('Target', { exact: true }).selectOption('rejecting');
    await page.getByText('3 dead letters').waitFor();
    await page.getByLabel('Event type').fill('contact.*');
    await page.getByText('2 dead letters').waitFor();
    const address = new URL(page.url());
    expect(address.searchParams.get('type')).toBe('contact.*');
    await page.reload();
    await page.getByText('2 dead letters').waitFor();
    expect(await page.getByLabel('Event type').inputValue()).toBe('contact.*');
    await page.getByRole('button', { name: 'Created: Any time' }).click();
    await page.getByLabel('Until').fill('2020-01-01 00:00');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
    await page.getByRole('link', { name: 'Clear filter' }).click();
    await page.getByText('4 dead letters').waitFor();
    await page.getByLabel('Error').selectOption('500');
    await page.getByText('1 dead letter', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
  });

  it('retries one by keyboard, confirms it, and keeps the focus', async () => {
    await show(page, '/failures?error=404');
    const [letter] = await deadLetters('&type=contact.created');
    rejecting.respondWith(204);
    await page.getByRole('button', { expanded: true }).waitFor();
    await page.getByRole('link', { name: 'task.created' }).waitFor();
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('contact.updated');
    await page.keyboard.press('k');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('task.created');
    await press(page.getByRole('button', { name: /^Retry contact\.created of contact:\d+ for rejecting$/ }));
    await page.getByText('contact.created was queued for rejecting again.').waitFor();
    await page.getByText('2 dead letters').waitFor();
    await until('it arrives', () => rejecting.of(letter!.event_id).length === 2);
    expect(rejecting.of(letter!.event_id)[1]!.headers['switchboard-trigger']).toBe('manual');
    expect(await focusIsOnPage(page)).toBe(true);
  });

  it('retries only the selected ones, in the background', async () => {
    const more = await notify('task.created');
    await until('it arrives', () => rejecting.of(more).length === 1);
    const before = rejecting.hits.length;
    await page.getByLabel('Select all 2').check();
    await page.getByText('2 selected').waitFor();
    await page.getByLabel(/^Select task\.created/).uncheck();
    await press(page.getByRole('button', { name: 'Retry 1', exact: true }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Retry 1', exact: true }));
    await page.getByText('1 dead letter retried.').last().waitFor();
    await until('it arrives', () => rejecting.hits.length > before);
    expect(rejecting.hits).toHaveLength(before + 1);
    expect((await deadLetters('&error=404')).map(({ event_type: type }) => type)).toEqual(['task.created']);
    await press(page.getByRole('button', { name: /^Hide/ }));
    expect(await page.getByText('1 dead letter retried.').count()).toBe(0);
  });

  it('asks for a reason before discarding, which the event’s page shows', async () => {
    const [letter] = await deadLetters('&error=404');
    await page.getByText('1 dead letter', { exact: true }).waitFor();
    await press(page.getByRole('button', { name: /^Discard task\.created/ }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It will not be retried and is removed from Failures.').waitFor();
    expect(await dialog.getByLabel('Reason').evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a reason').waitFor();
    expect(await deadLetters('&error=404')).toHaveLength(1);
    await page.keyboard.type('entered by hand');
    await page.keyboard.press('Enter');
    await page.getByText('task.created for rejecting was discarded.').waitFor();
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await until('the focus is on the page', () => focusIsOnPage(page));
    await show(page, `/events/${letter!.event_id}`);
    await page.getByText('Discarded: entered by hand').waitFor();
  });

  it('passes its filter to a new replay, which opens ready to start', async () => {
    await show(page, '/failures?type=deal.*');
    await page.getByRole('link', { name: 'Replay these' }).click();
    await page.getByRole('button', { name: 'Replay 1 event' }).waitFor();
    await page
      .getByRole('navigation', { name: 'Steps' })
      .getByRole('link', { name: 'Select events' })
      .click();
    expect(await page.getByLabel(/^Failed/).isChecked()).toBe(true);
    await page.getByText('1 event', { exact: true }).waitFor();
  });
});

describe('the event’s page', () => {
  it('warns that a retry to an ordered target is out of order before sending it', async () => {
    const [letter] = await deadLetters('&error=500');
    ordered.respondWith(204);
    const release = await holdRequests(page, TARGETS_LIST);
    await load(page, `/events/${letter!.event_id}`);
    const retry = page.getByRole('button', { name: 'Retry delivery to in order' });
    await press(retry);
    expect(await retry.getAttribute('aria-disabled')).toBe('true');
    await release();
    await until('the order is known', async () => (await retry.getAttribute('aria-disabled')) === null);
    await press(retry);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('newer events may already have been delivered').waitFor();
    expect(ordered.of(letter!.event_id)).toHaveLength(1);
    await press(dialog.getByRole('button', { name: 'Retry out of order' }));
    await page.getByText('Out of order', { exact: true }).waitFor();
    await until('it arrives', () => ordered.of(letter!.event_id).length === 2);
    await page.getByText('1 of 1 target delivered').waitFor();
    expect(await page.getByRole('button', { name: /^Retry delivery/ }).count()).toBe(0);
    await until('the focus is on the page', () => focusIsOnPage(page));
  });
});

const offers = () => page.getByRole('region', { name: 'Targets that respond again' });

/** Lets five deliveries fail, then one succeed, and opens the overview. */
async function failAndRecover(): Promise<void> {
  rejecting.respondWith(404);
  const before = (await deadLetters('&error=404')).length;
  for (let i = 0; i < 5; i += 1) await notify('task.created');
  await until('the last has failed', async () => (await deadLetters('&error=404')).length === before + 5);
  rejecting.respondWith(204);
  const id = await notify('contact.created');
  await until('it arrives', () => rejecting.of(id).length === 1);
  await show(page, '/');
}

describe('a target that responds again', () => {
  it('is offered its dead letters on every screen, until the offer is dismissed', async () => {
    await failAndRecover();
    await offers().getByText('rejecting responds again: retry 5?').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await press(offers().getByRole('button', { name: 'Dismiss the offer for rejecting' }));
    await offers().waitFor({ state: 'detached' });
    const traffic = page.waitForResponse(/stats\/targets$/);
    await show(page, '/targets');
    await traffic;
    expect(await offers().count()).toBe(0);
  });

  it('is offered them again after another failure, and gets them', async () => {
    await failAndRecover();
    const before = rejecting.hits.length;
    await press(offers().getByRole('button', { name: 'Retry 10', exact: true }));
    await page.getByText('rejecting gets its 10 dead letters again.').waitFor();
    await until('all arrive', () => rejecting.hits.length === before + 10);
    await until('none is left', async () => (await deadLetters('&error=404')).length === 0);
    await offers().waitFor({ state: 'detached' });
  });
});

describe('the failures screen with many dead letters', () => {
  beforeAll(async () => {
    rejecting.respondWith(404);
    await notify('contact.created');
    await untilDead(1);
    await daemon.stop();
    daemon.alterDatabase(copiesOfNewest(DEAD_LETTERS - 1));
    await daemon.restart();
  }, LONG_MS);

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'has no accessibility violations and no horizontal overflow, with and without a dialog (%s, %d wide)',
    async (colorScheme, width) => {
      await withLook(page, { colorScheme, viewport: { ...PHONE, width } }, async () => {
        await show(page, '/failures');
        await page.getByText('40,000 dead letters').waitFor({ timeout: 30_000 });
        await page.getByRole('checkbox').nth(3).check();
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await horizontalOverflow(page)).toBe(0);
        await page.getByRole('button', { name: /^Discard 40,000/ }).click();
        await waitUntilOpen(page.getByRole('dialog'));
        expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
      });
    },
    LONG_MS,
  );

  it(
    'shows the progress of a bulk job, and keeps completed work when it is cancelled',
    async () => {
      await show(page, '/failures');
      await page.getByText('40,000 dead letters').waitFor({ timeout: 30_000 });
      await press(page.getByRole('button', { name: 'Discard all 40,000', exact: true }));
      await page.getByRole('dialog').getByLabel('Reason').fill('a test of the receiver');
      const started = page.waitForResponse((response) => response.url().endsWith('/deliveries/discard'));
      await page.keyboard.press('Enter');
      await started;
      const resume = holdWrites();
      const jobs = page.getByRole('list', { name: 'Background jobs' });
      await jobs.getByText(/^Discarding: .* of 40,000/).waitFor();
      const retryAll = page.getByRole('button', { name: /^Retry all/ });
      expect(await retryAll.getAttribute('aria-disabled')).toBe('true');
      expect(await jobs.getByRole('progressbar').getAttribute('max')).toBe('40000');
      const cancelled = page.waitForRequest((request) => request.url().endsWith('/cancel'));
      await press(jobs.getByRole('button', { name: 'Cancel: Discarding' }));
      await cancelled;
      resume();
      await jobs.getByText(/^Cancelled: .* of 40,000 dead letters discarded\./).waitFor();
      const [job] = (await daemon.get<ListPage<DeliveryJob>>('/deliveries/jobs?limit=1')).data;
      expect(job).toMatchObject({ action: 'discard', state: 'cancelled', reason: 'a test of the receiver' });
      const left = (DEAD_LETTERS - job!.done).toLocaleString('en-US');
      await page.getByRole('status').getByText(`${left} dead letters`).waitFor();
    },
    LONG_MS,
  );

  it(
    'returns to the same place, with the same causes expanded',
    async () => {
      ordered.respondWith(500);
      await notify('deal.created');
      const small = { viewport: { width: 1024, height: 500 } };
      await withLook(page, small, async () => {
        await show(page, '/failures?range=24h');
        await causeRow('HTTP 500').waitFor();
        const titles = page.getByRole('button', { expanded: false }).getByText(/^HTTP/);
        const lefts = await titles.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
        expect(lefts).toEqual([lefts[0], lefts[0]]);
        await page.getByRole('button', { expanded: false }).filter({ hasText: 'rejecting' }).click();
        const rows = page.getByRole('link', { name: 'contact.created' });
        const last = rows.nth(24);
        await last.scrollIntoViewIfNeeded();
        const place = await last.boundingBox();
        await last.click();
        await page.getByRole('heading', { name: 'contact.created' }).waitFor();
        expect(await page.locator('#main').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
        await page.goBack();
        await last.waitFor();
        await until('the row is where it was', async () => (await last.boundingBox())?.y === place!.y);
        await page.getByRole('button', { expanded: true }).filter({ hasText: 'rejecting' }).click();
        await rows.first().waitFor({ state: 'detached' });
      });
    },
    LONG_MS,
  );
});

/** Lets the daemon write nothing until the returned function is called, so that a job stays in progress. */
function holdWrites(): () => void {
  const connection = new sqliteDriver(join(daemon.dataDir, 'switchboard.db'));
  connection.exec('BEGIN IMMEDIATE');
  return () => connection.close();
}

/** Copies of the newest dead letter, each with an event of its own. */
function copiesOfNewest(count: number): string {
  const events = `received_at, occurred_at, type, entity, name, webhook_id, unreadable, content_type, headers,
    signature_header, signature_value, body, planned`;
  const deliveries = `target_id, n, state, "trigger", attempts, created_at, finished_at, last_status, last_error, note`;
  return `
    CREATE TEMP TABLE numbers AS
      WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < ${count}) SELECT i FROM more;
    CREATE TEMP TABLE newest AS
      SELECT max(event_seq) AS seq, (SELECT max(seq) FROM events) AS last FROM deliveries WHERE state = 'dead';
    INSERT INTO events(seq, ${events})
      SELECT last + i, ${events} FROM events JOIN newest USING (seq), numbers;
    INSERT INTO deliveries(event_seq, ${deliveries})
      SELECT last + i, ${deliveries} FROM deliveries JOIN newest ON event_seq = newest.seq, numbers;`;
}
