import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { ReplayDetail, ReplayPlan } from '../../src/contract/replay';
import type { LoginLink } from '../../src/contract/session';
import { launchBrowser, PAGE_OPTIONS } from '../harness/browser';
import { Daemon } from '../harness/daemon';
import { RecordingTarget, type Hit } from '../harness/recording-target';
import { until } from '../harness/until';
import { SIGNATURE_HEADER, Upstream } from '../harness/upstream';

const APPEARS_WITHIN_MS = 15_000;
const LONG_MS = 180_000;
const EVENTS = 24;
/** More digits than JavaScript's numbers hold. */
const LONG_ID = '12345678901234567891';

let upstream: Upstream;
let daemon: Daemon;
let orders: RecordingTarget;
let archive: RecordingTarget;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let number = 0;

beforeAll(async () => {
  upstream = await Upstream.start();
  daemon = await Daemon.startConnected({ upstream });
  orders = await RecordingTarget.start();
  archive = await RecordingTarget.start();
  await daemon.addTarget('orders', orders.url);
  browser = await launchBrowser();
  context = await browser.newContext(PAGE_OPTIONS);
  page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  await page.goto(((await daemon.request('POST', '/login-links')).body as LoginLink).url);
});

afterAll(async () => {
  await browser?.close();
  await daemon?.close();
  await orders?.close();
  await archive?.close();
  await upstream?.close();
});

async function show(path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor({ timeout: 30_000 });
}

/** Sends what Co-Pilot would send, so many times; the id of its event. */
async function notify(type: string, times = 1): Promise<string> {
  number += 1;
  const webhook = daemon.webhook;
  const timestamp = new Date().toISOString();
  const text = `{"event":"${type}","timestamp":"${timestamp}","webhook_id":"${webhook.webhook_id}","data":{"id":${number},"reference":${LONG_ID},"name":"Harbour"}}`;
  const body = Buffer.from(text);
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: upstream.sign(webhook, body) };
  let id = '';
  for (let i = 0; i < times; i += 1) {
    const answer = await fetch(webhook.url, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    ({ id } = (await answer.json()) as { id: string });
  }
  return id;
}

const press = async (button: Locator) => {
  await button.focus();
  await page.keyboard.press('Enter');
};
const panel = (name: string) => page.getByRole('region', { name, exact: true });
const replayed = ({ hits }: RecordingTarget): Hit[] =>
  hits.filter(({ headers }) => headers['switchboard-trigger'] === 'replay');
const newest = async () => (await daemon.get<ListPage<ReplayPlan>>('/replays?limit=1')).data[0]!;
const focusIsOnPage = () => page.evaluate(() => document.activeElement !== document.body);

describe('replays', () => {
  it('explain themselves while there was none', async () => {
    await show('/');
    await page.getByRole('link', { name: 'Replays' }).click();
    await page.getByRole('heading', { name: 'Nothing was replayed yet' }).waitFor();
    await page.getByRole('link', { name: 'Plan a replay' }).click();
    await panel('What it would send').getByText('No stored event matches').waitFor();
  });

  it('are planned in three steps, with what they would send beside it, in an address that can be shared', async () => {
    for (let i = 0; i < EVENTS; i += 1) await notify(i % 2 === 0 ? 'deal.updated' : 'task.created');
    await until('all went live', () => orders.hits.length === EVENTS);
    await daemon.addTarget('archive', archive.url);
    await show('/replays/new');
    const preview = panel('What it would send');
    await preview.getByText('24 events', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Event types' }).fill('deal.*');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await preview.getByText('12 events', { exact: true }).waitFor();
    await preview.getByText('12 deliveries').waitFor();
    expect(await preview.getByRole('row', { name: 'deal.updated 12' }).count()).toBe(1);
    expect(await preview.getByText('estimated').count()).toBe(0);

    await press(page.getByRole('button', { name: 'Where to, how fast' }));
    await page.getByLabel('These targets').check();
    await preview.getByText('Choose at least one target first.').waitFor();
    await page.getByLabel('archive', { exact: true }).check();
    await preview.getByRole('row', { name: 'archive 12' }).waitFor();
    await page.getByLabel('Capped').check();
    await page.getByLabel('Events a second').fill('0');
    await page.getByText('A number from 0.01 to 10,000.').waitFor();
    await preview.getByText('Set the speed right first.').waitFor();
    await page.getByLabel('Events a second').fill('4');
    await preview.getByText('at least 3 s').waitFor();

    await page.reload();
    await preview.getByText('at least 3 s').waitFor();
    expect(await page.getByLabel('archive', { exact: true }).isChecked()).toBe(true);
    await page.goBack();
    await page.getByRole('combobox', { name: 'Event types' }).waitFor();
    await page.goForward();
    await press(page.getByRole('button', { name: 'Check and start' }));
    await page.getByText('at most 4 events a second').waitFor();
  });

  it('send what was counted and nothing that came after it, and end with a report', async () => {
    const before = orders.hits.length;
    const late = await notify('deal.updated');
    await until('it went live', () => orders.hits.length === before + 1 && archive.of(late).length === 1);
    await press(page.getByRole('button', { name: 'Replay 12 events' }));
    await page.waitForURL(/\/replays\/rpl_/);
    await page.getByText(/events\/s/).waitFor();
    await page.getByText('Done', { exact: true }).waitFor();
    await panel('Report').getByRole('row', { name: 'archive 12 12 0 0 0 12' }).waitFor();
    await page.getByText('12 of 12 events').waitFor();
    expect(replayed(archive)).toHaveLength(12);
    expect(archive.of(late)).toHaveLength(1);
    expect(replayed(orders)).toEqual([]);
    await page.getByRole('link', { name: 'Replays' }).first().click();
    await panel('History').getByRole('link', { name: 'deal.*' }).waitFor();
  });

  it('are paused, resumed and cancelled, which asks once and says what stays', async () => {
    await daemon.request('POST', '/replays', { filter: { types: ['task.*'] }, rate: { per_second: 2 } });
    await show('/replays');
    const running = page.getByRole('list', { name: 'Under way' });
    await until('some are sent', () => replayed(orders).length > 0);
    await press(running.getByRole('button', { name: 'Pause the replay: task.*' }));
    await running.getByText('Paused', { exact: true }).waitFor();
    const { events } = await newest();
    await until('what is open is through', () => replayed(orders).length === events);
    await press(running.getByRole('button', { name: 'Resume the replay: task.*' }));
    await until('it goes on', () => replayed(orders).length > events);
    await press(running.getByRole('button', { name: 'Cancel the replay: task.*' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('A cancelled replay cannot be resumed').waitFor();
    expect((await newest()).state).toBe('running');
    await press(dialog.getByRole('button', { name: 'Cancel the replay' }));
    const row = page.getByRole('listitem').filter({ hasText: 'task.*' });
    await row.getByText('Cancelled', { exact: true }).waitFor();
    const ended = await daemon.get<ReplayDetail>(`/replays/${(await newest()).id}`);
    expect(ended.events).toBeLessThan(12);
    expect(ended.events).toBeGreaterThan(events);
    await row.getByRole('link', { name: 'task.*' }).click();
    await panel('Report')
      .getByRole('row', { name: /^orders/ })
      .waitFor();
    await page.goBack();
    await row.waitFor();
  });
});

describe('the event’s page', () => {
  it('edits and resends: what is no JSON is not sent, what is goes out marked, without Co-Pilot’s signature', async () => {
    const id = await notify('deal.updated');
    await until('it went live', () => orders.of(id).length === 1 && archive.of(id).length === 1);
    await show(`/events/${id}`);
    await page.getByText('"Harbour"').waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Co-Pilot’s signature is left out').waitFor();
    const field = dialog.getByLabel('Payload');
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    const text = await field.inputValue();
    expect(text).toContain(`"reference": ${LONG_ID},\n`);
    await dialog.getByLabel('archive').uncheck();
    await field.fill(text.replace('"Harbour"', '"Harbour'));
    await dialog.getByText(/^This is not JSON: .*line/).waitFor();
    expect(await dialog.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
    await field.fill(text.replace('"Harbour"', '"Lighthouse"'));
    await press(dialog.getByRole('button', { name: 'Send to 1 target' }));
    await page.getByText('Edited', { exact: true }).waitFor();
    await until('it arrives', () => orders.of(id).length === 2);
    const [first, second] = orders.of(id);
    expect(first!.headers).toHaveProperty([SIGNATURE_HEADER]);
    expect(second!.headers).not.toHaveProperty([SIGNATURE_HEADER]);
    expect(second!.headers).toMatchObject({ 'switchboard-edited': 'true', 'switchboard-trigger': 'manual' });
    expect(second!.body.toString()).toBe(text.replace('"Harbour"', '"Lighthouse"'));
    expect(archive.of(id)).toHaveLength(1);
    expect(await page.getByText('"Harbour"').count()).toBe(1);
  });

  it('shows what came again beside its first: one is released, one dismissed', async () => {
    const id = await notify('task.created', 3);
    await until('the first went live', () => orders.of(id).length === 1 && archive.of(id).length === 1);
    await show(`/events/${id}`);
    const again = panel('Came again');
    const row = (n: number) => again.getByRole('listitem').filter({ hasText: `Repeat ${n}` });
    await row(1).getByText('Held', { exact: true }).waitFor();
    await press(row(1).getByRole('button', { name: /^Release repeat 1/ }));
    await row(1).getByText('Released', { exact: true }).waitFor();
    await until('it arrives', () => orders.of(id).length === 2 && archive.of(id).length === 2);
    await press(row(2).getByRole('button', { name: 'Dismiss repeat 2' }));
    await page.getByRole('dialog').getByText('can no longer be released').waitFor();
    await row(2).getByText('Held', { exact: true }).waitFor();
    await press(page.getByRole('dialog').getByRole('button', { name: 'Dismiss it' }));
    await row(2).getByText('Dismissed', { exact: true }).waitFor();
    await until('the focus is on the page', focusIsOnPage);
    expect(await again.getByRole('button').count()).toBe(0);
    expect(orders.of(id)).toHaveLength(2);
  });
});

describe('their screens', () => {
  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'have nothing that axe finds, and fit (%s, %d wide)',
    async (colorScheme, width) => {
      const id = await notify('deal.updated', 2);
      const done = await newest();
      const { body } = await daemon.request('POST', '/replays', { rate: { per_second: 0.1 } });
      const running = body as ReplayDetail;
      const storageState = await context.storageState();
      const viewport = { width, height: 844 };
      const themed = await browser.newContext({ ...PAGE_OPTIONS, viewport, colorScheme, storageState });
      try {
        const look = await themed.newPage();
        const screens: [string, string][] = [
          ['/replays', 'Under way'],
          [`/replays/${running.id}`, 'Progress'],
          [`/replays/${done.id}`, 'Report'],
          ['/replays/new?type=deal.*', 'By event type'],
          ['/replays/new?step=way&pace=10', 'Times as fast'],
          ['/replays/new?step=start', 'Check and start'],
          [`/events/${id}`, 'Repeat 1'],
        ];
        for (const [path, words] of screens) {
          await look.goto(new URL(path, page.url()).href);
          await look.getByLabel(words).or(look.getByText(words)).first().waitFor();
          await look.waitForLoadState('networkidle');
          const wider = await look.evaluate(() => {
            const main = document.querySelector('#main')!;
            return main.scrollWidth - main.clientWidth;
          });
          const { violations } = await new AxeBuilder({ page: look }).analyze();
          expect({
            path,
            wider,
            violations: violations.map(({ id: rule, nodes }) => [rule, nodes[0]?.html]),
          }).toEqual({
            path,
            wider: 0,
            violations: [],
          });
        }
        await look.keyboard.press('e');
        const dialog = look.getByRole('dialog');
        await dialog.waitFor();
        await until('the dialog stands', () =>
          dialog.evaluate((element) => element.getAnimations({ subtree: true }).length === 0),
        );
        expect((await new AxeBuilder({ page: look }).analyze()).violations).toEqual([]);
      } finally {
        await themed.close();
        await daemon.request('POST', `/replays/${running.id}/cancel`);
      }
    },
    LONG_MS,
  );
});
