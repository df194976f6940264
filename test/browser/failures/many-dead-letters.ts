import type { DeliveryJob } from '../../../src/contract/delivery';
import type { Page as ListPage } from '../../../src/contract/page';
import {
  accessibilityViolations,
  horizontalOverflow,
  press,
  show,
  waitUntilOpen,
  withLook,
} from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { causeRow, daemon, notify, ordered, page, rejecting, untilDead } from './hub';

const PHONE = { width: 390, height: 844 };

/** A job on them takes many transactions. */
const DEAD_LETTERS = 8_000;
/** How many of them a job processes. */
const DONE = 5_000;

/** Lets no job do more than a part of its work, so that it stays in progress on any machine. */
const STALL_JOBS = `
  CREATE TRIGGER stall_jobs BEFORE UPDATE OF done ON delivery_jobs WHEN NEW.done > ${DONE}
  BEGIN SELECT RAISE(ABORT, 'A test stalls this job.'); END`;

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

export function manyDeadLetters(): void {
  beforeAll(async () => {
    rejecting.respondWith(404);
    await notify('contact.created');
    await untilDead(1);
    await daemon.stop();
    daemon.alterDatabase(copiesOfNewest(DEAD_LETTERS - 1));
    daemon.alterDatabase(STALL_JOBS);
    await daemon.restart();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'has no accessibility violations and no horizontal overflow, with and without a dialog (%s, %d wide)',
    async (colorScheme, width) => {
      await withLook(page, { colorScheme, viewport: { ...PHONE, width } }, async () => {
        await show(page, '/failures');
        await page.getByText('8,000 dead letters').waitFor();
        await page.getByRole('checkbox').nth(3).check();
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await horizontalOverflow(page)).toBe(0);
        await page.getByRole('button', { name: /^Discard 8,000/ }).click();
        await waitUntilOpen(page.getByRole('dialog'));
        expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
      });
    },
  );

  it('shows the progress of a bulk job, and keeps completed work when it is cancelled', async () => {
    await show(page, '/failures');
    await page.getByText('8,000 dead letters').waitFor();
    await press(page.getByRole('button', { name: 'Discard all 8,000', exact: true }));
    await page.getByRole('dialog').getByLabel('Reason').fill('a test of the receiver');
    await page.keyboard.press('Enter');
    const jobs = page.getByRole('list', { name: 'Background jobs' });
    await jobs.getByText(/^Discarding: 5,000 of 8,000/).waitFor();
    const retryAll = page.getByRole('button', { name: /^Retry all/ });
    expect(await retryAll.getAttribute('aria-disabled')).toBe('true');
    expect(await jobs.getByRole('progressbar').getAttribute('max')).toBe('8000');
    const cancelled = page.waitForRequest((request) => request.url().endsWith('/cancel'));
    await press(jobs.getByRole('button', { name: 'Cancel: Discarding' }));
    await cancelled;
    await jobs.getByText(/^Cancelled: 5,000 of 8,000 dead letters discarded\./).waitFor();
    const [job] = (await daemon.get<ListPage<DeliveryJob>>('/deliveries/jobs?limit=1')).data;
    expect(job).toMatchObject({
      action: 'discard',
      state: 'cancelled',
      reason: 'a test of the receiver',
      done: DONE,
    });
    const left = (DEAD_LETTERS - DONE).toLocaleString('en-US');
    await page.getByRole('status').getByText(`${left} dead letters`).waitFor();
  });

  it('returns to the same place, with the same causes expanded', async () => {
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
  });
}
