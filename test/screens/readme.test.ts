import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Stats } from '../../src/contract/stats';
import { launchBrowser } from '../support/browser/browser';
import { panel } from '../support/browser/dashboard';
import { until } from '../support/until';
import { busyHub, type Hub } from './hubs';
import { tour, type Look } from './tour';

const FOLDER = resolve(__dirname, '../../docs/pictures');
const RUNS_FOR_MS = 200_000;
const STARTS_WITHIN_MS = 2 * RUNS_FOR_MS;
const WITHIN_MS = 300_000;
const RATE_WITHIN_MS = 60_000;

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  browser = await launchBrowser();
  hub = await busyHub();
  await until('the chart has most of its five minutes', hasRunFor, STARTS_WITHIN_MS);
}, STARTS_WITHIN_MS);
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const hasRunFor = async () =>
  Date.now() - Date.parse((await hub.ask<Stats>('GET', '/stats')).started_at) > RUNS_FOR_MS;

/** Waits until everything on the overview has a value. */
async function untilBusy(page: Page): Promise<void> {
  const now = page.getByRole('region', { name: 'Key metrics' });
  const hasRate = async () => /Now\s+[\d.]+\/s/.test(await now.innerText());
  await until('the rate is known', hasRate, RATE_WITHIN_MS);
  await panel(page, 'Traffic').locator('canvas').waitFor();
}

/** A picture from the top of the page to the end of a panel. */
async function takeDownTo(page: Page, name: string, file: string): Promise<void> {
  const { width } = page.viewportSize()!;
  const box = await panel(page, name).boundingBox();
  await page.setViewportSize({ width, height: Math.ceil(box!.y + box!.height) + 8 });
  await page.screenshot({ path: `${FOLDER}/${file}.png` });
}

async function takeEvent(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'deal.status_changed' }).first().click();
  await panel(page, 'What changed').getByText('this event').waitFor();
  await page.screenshot({ path: `${FOLDER}/event.png` });
}

describe('the pictures of the README', () => {
  const LOOKS: [string, Look][] = [
    ['overview-light', { colorScheme: 'light', width: 1440 }],
    ['overview-dark', { colorScheme: 'dark', width: 1440 }],
    ['phone', { colorScheme: 'light', width: 390 }],
  ];

  it.each(LOOKS)(
    'show a busy overview: %s',
    async (file, look) => {
      const take = async (page: Page) => {
        await untilBusy(page);
        if (look.width === 390) await page.screenshot({ path: `${FOLDER}/${file}.png` });
        else await takeDownTo(page, 'Traffic', file);
      };
      await tour(browser, hub, look, take, 'overview');
    },
    WITHIN_MS,
  );

  it(
    'show what changed in a deal',
    async () => {
      await tour(browser, hub, { colorScheme: 'light', width: 1440 }, takeEvent, 'live');
    },
    WITHIN_MS,
  );
});
