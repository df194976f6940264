import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Sandbox } from '../../src/contract/sandbox';
import type { Target } from '../../src/contract/target';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import {
  APPEARS_WITHIN_MS,
  accessibilityViolations,
  waitUntilLive,
  withLook,
  openLoginLink,
  horizontalOverflow,
  panel,
  press,
  show,
} from '../support/browser/dashboard';
import { Demo } from '../support/daemon/demo';
import { until } from '../support/until';

let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  demo = await Demo.start({ rate: 0 });
  page = await (await browser.newContext(PAGE_OPTIONS)).newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  await openLoginLink(page, demo.loginLink);
  await waitUntilLive(page);
});

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

beforeEach(() => show(page, '/sandbox'));

const sandboxState = () => demo.ask<Sandbox>('GET', '/sandbox');
const newest = async () => (await demo.ask<ListPage<EventSummary>>('GET', '/events?limit=1')).data[0];
const fault = (name: string) => panel(page, 'Faults').getByRole('switch', { name });

describe('the sandbox screen', () => {
  it('is linked in the demo, and links to the live list', async () => {
    await show(page, '/');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Sandbox' }).click();
    await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Watch live' }).click();
    await page.waitForURL(/\/live$/);
  });

  it('is where an event comes from while there is none', async () => {
    await show(page, '/events');
    await page.getByRole('main').getByRole('link', { name: 'Sandbox' }).click();
    await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
  });

  it('is in a demo that prints the command for another login link', async () => {
    const { stdout } = await promisify(exec)(demo.loginLinkCommand);
    expect(stdout).toMatch(/^http:\/\/localhost:\d+\/login\?token=\S+\n$/);
  });

  it('sends each of the ten event types', async () => {
    const types = panel(page, 'One event').getByRole('list', { name: 'Event types' }).getByRole('button');
    await until('the ten types', async () => (await types.count()) === 10);
    await press(types.filter({ hasText: 'deal.created' }));
    await page.getByText('deal.created was created and is being sent.').waitFor();
    await until('it is stored', async () => (await newest())?.type === 'deal.created');
  });

  it('sends a custom payload, and rejects one that is not an object', async () => {
    await page.getByText('Custom payload').click();
    await page.getByLabel('data').fill('[1]');
    await press(page.getByRole('button', { name: 'Send event' }));
    await page.getByText('Enter a JSON object').waitFor();
    await page.getByLabel('data').fill('{"id": 4242, "name": "Of my own"}');
    await press(page.getByRole('button', { name: 'Send event' }));
    await until('it is stored', async () => (await newest())?.entity === 'deal:4242');
    expect(await newest()).toMatchObject({ type: 'deal.updated', name: 'Of my own' });
  });

  it('sets a rate, stops, restarts, and sends a burst', async () => {
    const traffic = panel(page, 'Traffic');
    await press(traffic.getByRole('button', { name: '10 per second' }));
    await traffic.getByText('Generating 10 events/s.').waitFor();
    const before = (await newest())!.seq;
    await until('events arrive', async () => (await newest())!.seq > before + 5);
    await press(traffic.getByRole('button', { name: 'Stop' }));
    await traffic.getByText('Not generating events.').waitFor();
    expect((await sandboxState()).traffic).toEqual({ events_per_second: 10, is_paused: true });
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

  it('turns on a fault, which has the described effect, and clears all faults', async () => {
    await fault('API: server error (500)').click();
    await fault('Send everything twice').click();
    await panel(page, 'Faults').getByText('2 faults active').waitFor();
    expect((await sandboxState()).faults).toMatchObject({ api_500: true, notifications_duplicated: true });

    await demo.ask('POST', '/sandbox/events', { type: 'deal.updated', data: { id: 77 } });
    await until('the duplicate is counted', async () => (await newest())?.duplicates === 1);
    await show(page, `/events/${(await newest())!.id}`);
    await panel(page, 'Duplicates').getByText('Held', { exact: true }).waitFor();
    await show(page, '/connection');
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page
      .getByText(/last check failed.*Co-Pilot responded with 500/)
      .first()
      .waitFor();
    await show(page, '/');
    const attention = page.getByRole('region', { name: 'What needs attention' });
    const issue = attention.getByRole('listitem').filter({ hasText: 'Webhook unverified' });
    await press(issue.getByRole('button', { name: 'Check again' }));
    await page.getByText(/^Checked just now: .*responded with 500/).waitFor();
    await issue.getByText(/responded with 500/).waitFor();

    await show(page, '/sandbox');
    await press(page.getByRole('button', { name: 'Clear all' }));
    await panel(page, 'Faults').getByText('No faults active').waitFor();
    expect(new Set(Object.values((await sandboxState()).faults))).toEqual(new Set([false]));
    await show(page, '/connection');
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page.getByText('Checked. The webhook at Co-Pilot is as expected.').waitFor();
  });

  it('has a sample target whose receiver passes the exam', async () => {
    const { id } = (await demo.ask<ListPage<Target>>('GET', '/targets')).data[0]!;
    await show(page, `/targets/${id}`);
    await press(page.getByRole('button', { name: 'Examine the receiver' }));
    const exam = page.getByRole('dialog', { name: 'Examine the receiver of sample' });
    await press(exam.getByRole('button', { name: 'Send six requests' }));
    await exam.getByText('6 of 6 passed').waitFor();
  });

  it('makes the receiver of the sample target fail', async () => {
    const sample = async () => (await demo.ask<ListPage<Target>>('GET', '/targets')).data[0]!;
    await press(page.getByRole('button', { name: 'Once: Receiver: gone (410)' }));
    await panel(page, 'Faults').getByText('next one only').waitFor();
    await demo.ask('POST', '/sandbox/events', { type: 'task.created' });
    await until('the target is disabled', async () => (await sample()).disabled !== null);
    await demo.ask('PATCH', `/targets/${(await sample()).id}`, { enabled: true });
    expect((await sandboxState()).faults['receiver_410']).toBe(false);
  });

  it('turns on a fault once, and shows external changes', async () => {
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
    'has no accessibility violations and no horizontal overflow (%s, %i wide)',
    async (colorScheme, width) => {
      await demo.panel('PATCH', '/faults', { api_slow: true, api_403: 2 });
      await page.getByText('Custom payload').waitFor();
      await withLook(page, { colorScheme, viewport: { width, height: 900 } }, async () => {
        await page.getByText('Custom payload').click();
        await panel(page, 'Faults').getByText('2 faults active').waitFor();
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await horizontalOverflow(page)).toBe(0);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      });
      await demo.panel('PATCH', '/faults', { api_slow: false, api_403: false });
    },
  );
});
