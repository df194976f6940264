import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import { waitUntilLive, show } from '../../support/browser/dashboard';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { RetryingSender } from '../../support/fakes/retrying-sender';
import { readWholeList, visibleRows, newEventsButton } from '../../support/browser/tail-reader';
import { daemon, page, session } from './hub';

const PER_SECOND = 25;
const EVENTS = 40;

/** Kills the daemon, and starts it again once the page shows the lost connection. */
async function killAndRestart(): Promise<void> {
  await daemon.kill();
  await page.getByText('Connection to Switchboard lost').first().waitFor();
  await daemon.restart();
  await waitUntilLive(page);
}

/** The ids of all stored events, newest first. */
async function storedIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const list: ListPage<EventSummary> = await daemon.get(`/events?limit=200${after}`);
    ids.push(...list.data.map(({ id }) => id));
    cursor = list.next_cursor;
  }
  return ids;
}

export function daemonRestart(): void {
  let client: WebhookSender;
  let sender: RetryingSender;
  let firstId = 1;

  beforeAll(() => {
    client = session.closeLater(new WebhookSender(daemon.webhook));
  });

  afterAll(() => sender?.cancel());

  function startSending(): void {
    sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id, firstId);
    sender.start();
  }

  async function stopSending(): Promise<void> {
    sender.stop();
    await sender.waitUntilFinished(120_000);
    firstId += sender.notifications.length;
    expect(sender.acknowledged).toHaveLength(sender.notifications.length);
  }

  const more = (count = EVENTS) => sender.waitForAcknowledged(count);

  describe('a daemon that is killed while events stream to the page', () => {
    it('causes no gap and no duplicate in the list', async () => {
      await show(page, '/live?system=shown');
      startSending();
      await more();
      await killAndRestart();
      await more();
      await stopSending();
      const all = await storedIds();
      await page.locator(`[data-tail] a[href$="${all[0]!}"]`).waitFor();
      expect(await readWholeList(page)).toEqual(all);
      expect(new Set(all).size).toBe(all.length);
      const ids = new Set(all);
      expect(sender.acknowledged.filter(({ acknowledgement }) => !ids.has(acknowledgement!.id!))).toEqual([]);
    });

    it('does not move paused rows, and counts all events that arrived meanwhile', async () => {
      await show(page, '/live?system=shown');
      startSending();
      await more();
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      const seen = await visibleRows(page);
      await more();
      await killAndRestart();
      await more();
      await stopSending();
      expect(await visibleRows(page)).toEqual(seen);
      const { seq } = await daemon.get<EventSummary>(`/events/${seen[0]!.id}`);
      const { last_seq: last } = await daemon.get<Stats>('/stats');
      await newEventsButton(page)
        .filter({ hasText: new RegExp(`^${(last - seq).toLocaleString('en-US')} new$`) })
        .waitFor();
      await page.keyboard.press('p');
      await newEventsButton(page).waitFor({ state: 'hidden' });
      expect(await readWholeList(page)).toEqual(await storedIds());
    });
  });

  it('a restart keeps typed text, and the screen is updated again', async () => {
    await show(page, '/targets/new');
    await page.getByLabel('Name').fill('through the restart');
    await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/hook');
    await killAndRestart();
    expect(await page.getByLabel('Name').inputValue()).toBe('through the restart');
    await page.locator('form [type=submit]').click();
    await page.locator('[data-secret]').waitFor();
  });
}
