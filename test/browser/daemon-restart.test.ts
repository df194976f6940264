import type { Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Stats } from '../../src/contract/stats';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { live, show } from '../support/browser/dashboard';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { readThrough, rowsInSight, waiting } from '../support/browser/tail-reader';

const PER_SECOND = 150;
const SOME = 300;
/** Co-Pilot's last attempt comes half a minute after the first. */
const WITHIN_MS = 180_000;

let stand: BrowserSession;
let daemon: Daemon;
let client: WebhookSender;
let page: Page;
let sender: RetryingSender;
let firstId = 1;

beforeAll(async () => {
  stand = await BrowserSession.open();
  ({ daemon } = stand);
  client = stand.keep(new WebhookSender(daemon.webhook));
  ({ page } = await stand.enter());
});

afterAll(async () => {
  sender?.abandon();
  await stand?.close();
});

function startSending(): void {
  sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id, firstId);
  sender.start();
}

async function endSending(): Promise<void> {
  sender.stop();
  await sender.settled(120_000);
  firstId += sender.notifications.length;
  expect(sender.acked).toHaveLength(sender.notifications.length);
}

const more = (count = SOME) => sender.more(count, 60_000);

/** Kills the daemon as a power cut would, and starts it again once the page has said so. */
async function killAndRestart(): Promise<void> {
  await daemon.kill();
  await page.getByText('Connection to Switchboard lost').first().waitFor();
  await daemon.restart();
  await live(page);
}

/** The ids of all that is stored, newest first, as the daemon lists them. */
async function stored(): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const list: ListPage<EventSummary> = await daemon.get(`/events?limit=200${after}`);
    ids.push(...list.data.map(({ id }) => id));
    cursor = list.next_cursor;
  }
  return ids;
}

describe('the daemon, killed under the page while events stream', () => {
  it(
    'leaves no hole in the list and nothing twice',
    async () => {
      await show(page, '/live');
      startSending();
      await more();
      await killAndRestart();
      await more();
      await endSending();
      const all = await stored();
      await page.locator(`[data-tail] a[href$="${all[0]!}"]`).waitFor();
      expect(await readThrough(page)).toEqual(all);
      expect(new Set(all).size).toBe(all.length);
      const ids = new Set(all);
      expect(sender.acked.filter(({ acked }) => !ids.has(acked!.id!))).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'moves nothing that is read, and all that came meanwhile is counted',
    async () => {
      await show(page, '/live');
      startSending();
      await more();
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      const seen = await rowsInSight(page);
      await more();
      await killAndRestart();
      await more();
      await endSending();
      expect(await rowsInSight(page)).toEqual(seen);
      const { seq } = await daemon.get<EventSummary>(`/events/${seen[0]!.id}`);
      const { last_seq: last } = await daemon.get<Stats>('/stats');
      await waiting(page)
        .filter({ hasText: new RegExp(`^${(last - seq).toLocaleString('en-US')} new$`) })
        .waitFor();
      await page.keyboard.press('p');
      await waiting(page).waitFor({ state: 'hidden' });
      expect(await readThrough(page)).toEqual(await stored());
    },
    WITHIN_MS,
  );
});

it('a restart takes nothing of what was typed, and what is on the screen goes on', async () => {
  await show(page, '/targets/new');
  await page.getByLabel('Name').fill('through the restart');
  await page.getByLabel('Address').fill('http://127.0.0.1:9/hook');
  await killAndRestart();
  expect(await page.getByLabel('Name').inputValue()).toBe('through the restart');
  await page.locator('form [type=submit]').click();
  await page.locator('[data-secret]').waitFor();
}, 60_000);
