import type { Browser, Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Sandbox } from '../../src/contract/sandbox';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { Daemon } from '../support/daemon/daemon';
import {
  APPEARS_WITHIN_MS,
  enter,
  findings,
  live,
  lookAgain,
  openLoginLink,
  overflow,
  panel,
  press,
  show,
} from '../support/browser/dashboard';
import { Demo } from '../support/daemon/demo';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

const STARTS_WITHIN_MS = 120_000;
const AXE_WITHIN_MS = 180_000;

let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  demo = await Demo.start({ rate: 0 });
  page = await (await browser.newContext(PAGE_OPTIONS)).newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  await openLoginLink(page, demo.loginLink);
  await live(page);
}, STARTS_WITHIN_MS);

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

beforeEach(() => show(page, '/sandbox'));

const now = () => demo.ask<Sandbox>('GET', '/sandbox');
const newest = async () => (await demo.ask<ListPage<EventSummary>>('GET', '/events?limit=1')).data[0];
const fault = (name: string) => panel(page, 'Faults').getByRole('switch', { name });

describe('the sandbox screen', () => {
  it('is found in the demo, and from there the live list', async () => {
    await show(page, '/');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Sandbox' }).click();
    await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Watch live' }).click();
    await page.waitForURL(/\/live$/);
  });

  it('lets any of the ten events happen', async () => {
    const types = panel(page, 'One event').getByRole('list', { name: 'Event types' }).getByRole('button');
    await until('the ten types', async () => (await types.count()) === 10);
    await press(types.filter({ hasText: 'deal.created' }));
    await page.getByText('deal.created was created and is being sent.').waitFor();
    await until('it is stored', async () => (await newest())?.type === 'deal.created');
  });

  it('lets one happen with content of one’s own, and says where that is no object', async () => {
    await page.getByText('Custom payload').click();
    await page.getByLabel('data').fill('[1]');
    await press(page.getByRole('button', { name: 'Send event' }));
    await page.getByText('Enter a JSON object').waitFor();
    await page.getByLabel('data').fill('{"id": 4242, "name": "Of my own"}');
    await press(page.getByRole('button', { name: 'Send event' }));
    await until('it is stored', async () => (await newest())?.entity === 'deal:4242');
    expect(await newest()).toMatchObject({ type: 'deal.updated', name: 'Of my own' });
  });

  it('sets a rate, stops, goes on, and sends a burst', async () => {
    const traffic = panel(page, 'Traffic');
    await press(traffic.getByRole('button', { name: '10 per second' }));
    await traffic.getByText('Generating 10 events/s.').waitFor();
    const before = (await newest())!.seq;
    await until('events come', async () => (await newest())!.seq > before + 5);
    await press(traffic.getByRole('button', { name: 'Stop' }));
    await traffic.getByText('Not generating events.').waitFor();
    expect((await now()).traffic).toEqual({ events_per_second: 10, is_paused: true });
    await press(traffic.getByRole('button', { name: 'Start' }));
    await traffic.getByText('Generating 10 events/s.').waitFor();
    await traffic.getByLabel('Custom rate').fill('0');
    await page.keyboard.press('Enter');
    await traffic.getByText('Not generating events.').waitFor();
    const quiet = (await newest())!.seq;
    await traffic.getByLabel('Number of events in the burst').fill('25');
    await page.keyboard.press('Enter');
    await traffic.getByText('25 events created in a burst.').waitFor();
    await until('the burst is stored', async () => (await newest())!.seq >= quiet + 25);
  });

  it('turns a fault on, which then is seen where its sentence says, and all of them off', async () => {
    await fault('API: server error (500)').click();
    await fault('Send everything twice').click();
    await panel(page, 'Faults').getByText('2 faults active').waitFor();
    expect((await now()).faults).toMatchObject({ api_500: true, notifications_duplicated: true });

    await demo.ask('POST', '/sandbox/events', { type: 'deal.updated', data: { id: 77 } });
    await until('it came again', async () => (await newest())?.duplicates === 1);
    await show(page, `/events/${(await newest())!.id}`);
    await panel(page, 'Duplicates').getByText('Held', { exact: true }).waitFor();
    await show(page, '/connection');
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page
      .getByText(/last check failed.*Co-Pilot answered 500/)
      .first()
      .waitFor();

    await show(page, '/sandbox');
    await press(page.getByRole('button', { name: 'Clear all' }));
    await panel(page, 'Faults').getByText('No faults active').waitFor();
    expect(new Set(Object.values((await now()).faults))).toEqual(new Set([false]));
    await show(page, '/connection');
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page.getByText('Checked. The webhook at Co-Pilot is as expected.').waitFor();
  });

  it('turns a fault on for once, and shows what is turned elsewhere', async () => {
    await press(page.getByRole('button', { name: 'Once: Send everything twice' }));
    await panel(page, 'Faults').getByText('next one only').waitFor();
    await demo.ask('POST', '/sandbox/events', { type: 'task.created' });
    await panel(page, 'Faults').getByText('No faults active').waitFor();
    await demo.panel('PATCH', '/faults', { token_html: true });
    await panel(page, 'Faults').getByText('1 fault active').waitFor();
    expect(await fault('Tokens: HTML response').isChecked()).toBe(true);
    await demo.panel('PATCH', '/faults', { token_html: false });
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'has nothing that axe finds, and fits its window (%s, %i wide)',
    async (colorScheme, width) => {
      await demo.panel('PATCH', '/faults', { api_slow: true, api_403: 2 });
      await page.getByText('Custom payload').waitFor();
      await lookAgain(page, { colorScheme, viewport: { width, height: 900 } }, async (look) => {
        await look.getByText('Custom payload').click();
        await panel(look, 'Faults').getByText('2 faults active').waitFor();
        expect(await findings(look)).toEqual([]);
        expect(await overflow(look)).toBe(0);
        expect(await look.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      });
      await demo.panel('PATCH', '/faults', { api_slow: false, api_403: false });
    },
    AXE_WITHIN_MS,
  );
});

it('beside a real Co-Pilot there is no way to it, and its address says why', async () => {
  const upstream = await FakeCopilot.start();
  const daemon = await Daemon.start({ upstream });
  try {
    const { page: other } = await enter(browser, daemon);
    await show(other, '/sandbox');
    await other.getByText('not to the sandbox').waitFor();
    const ways = other.getByRole('navigation', { name: 'Screens' });
    await ways.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await ways.getByRole('link', { name: 'Sandbox' }).count()).toBe(0);
  } finally {
    await daemon.close();
    await upstream.close();
  }
});
