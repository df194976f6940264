import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import type { LoginLink } from '../../src/contract/session';
import type { Stats } from '../../src/contract/stats';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { load, openLoginLink } from '../support/browser/dashboard';
import { Demo } from '../support/daemon/demo';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const FILE = resolve(__dirname, '../../docs/pictures/repair.png');
const AWAY_MS = 2 * 60_000;
/** A repair waits for 35 s after it has read the last page. */
const WITHIN_MS = 120_000;
const TEST_WITHIN_MS = 300_000;
const LOOK = { ...PAGE_OPTIONS, viewport: { width: 1200, height: 900 }, deviceScaleFactor: 2 };
const WON = 142;
const WON_DEALS = 3;
const CHANGED_DEALS = 20;

interface Deal {
  id: number;
  status_id: number;
  name: string;
}

/** Changes deals in such a way that Co-Pilot loses the events. @returns the ids of those that are won */
async function changeSilently(demo: Demo): Promise<number[]> {
  const { data } = await demo.panel<{ data: Deal[] }>('GET', '/deals');
  const deals = data.filter(({ status_id: status }) => status > WON + 1).slice(0, CHANGED_DEALS);
  expect(deals).toHaveLength(CHANGED_DEALS);
  for (const [index, { id, name }] of deals.entries()) {
    const change = index < WON_DEALS ? { status_id: WON } : { name: `${name}, extended` };
    await demo.panel('PATCH', `/deals/${id}`, { ...change, notify: false });
  }
  return deals.slice(0, WON_DEALS).map(({ id }) => id);
}

const idOf = (body: Buffer) => (JSON.parse(body.toString()) as { data: Deal }).data.id;

/** Opens the preview of a repair at the outage on the connection screen. */
async function preview(page: Page, demo: Demo) {
  const { url } = await demo.ask<LoginLink>('POST', '/login-links');
  await openLoginLink(page, url);
  await load(page, '/connection');
  await page.getByRole('button', { name: /^Repair: / }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Read all deals' }).click();
  await dialog.getByRole('list', { name: 'Deals that differ' }).waitFor({ timeout: WITHIN_MS });
  return dialog;
}

it(
  'the picture of the README shows what a repair would send',
  async () => {
    const browser = await launchBrowser();
    const billing = await RecordingTarget.start();
    const demo = await Demo.start({ rate: 20 });
    try {
      const isBusy = async () => (await demo.ask<Stats>('GET', '/stats')).last_seq > 600;
      await until('the sandbox has many deals', isBusy, WITHIN_MS);
      await demo.panel('PATCH', '/traffic', { events_per_second: 0 });
      await demo.addTarget('billing', billing.url, {
        filter: { 'data.status_id': { $became: WON } },
      });
      const won = await changeSilently(demo);
      await demo.stop();
      demo.alterDatabase(`UPDATE heartbeat SET at = at - ${AWAY_MS}`);
      await demo.restart();
      await demo.panel('PATCH', '/traffic', { events_per_second: 0 });
      const page = await browser.newPage(LOOK);
      const dialog = await preview(page, demo);
      await dialog.screenshot({ path: FILE });
      await dialog.getByRole('button', { name: `Apply to ${CHANGED_DEALS} deals` }).click();
      await dialog.getByText(`${CHANGED_DEALS} events stored.`).waitFor();
      await until('the deals that were won are delivered', () => billing.hits.length >= won.length);
      expect(new Set(billing.hits.map(({ body }) => idOf(body)))).toEqual(new Set(won));
      expect(billing.hits).toHaveLength(won.length);
    } finally {
      await browser.close();
      await demo.close();
      await billing.close();
    }
  },
  TEST_WITHIN_MS,
);
