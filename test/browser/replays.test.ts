import type { Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { ReplayDetail, ReplaySummary } from '../../src/contract/replay';
import type { Target } from '../../src/contract/target';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import {
  accessibilityViolations,
  withLook,
  horizontalOverflow,
  load,
  panel,
  press,
  show,
  waitUntilOpen,
  navigationLink,
} from '../support/browser/dashboard';
import { notify as send } from '../support/daemon/emit';
import { RecordingTarget, type Hit } from '../support/fakes/recording-target';
import { until } from '../support/until';
import { SIGNATURE_HEADER } from '../support/fakes/copilot';

const EVENTS = 24;
/** More digits than a JavaScript number can represent. */
const LONG_ID = '12345678901234567891';

let session: BrowserSession;
let daemon: Daemon;
let orders: RecordingTarget;
let archive: RecordingTarget;
let page: Page;
let number = 0;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  orders = session.closeLater(await RecordingTarget.start());
  archive = session.closeLater(await RecordingTarget.start());
  await daemon.addTarget('orders', orders.url);
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

/** Sends the same bytes one or more times. @returns the id of their event */
async function notify(type: string, times = 1): Promise<string> {
  number += 1;
  const timestamp = new Date().toISOString();
  const text = `{"event":"${type}","timestamp":"${timestamp}","webhook_id":"${daemon.webhook.webhook_id}","data":{"id":${number},"reference":${LONG_ID},"name":"Harbour"}}`;
  let id = '';
  for (let i = 0; i < times; i += 1) {
    const response = await send(daemon, text);
    expect(response.status).toBe(200);
    ({ id } = (await response.json()) as { id: string });
  }
  return id;
}

const replayed = ({ hits }: RecordingTarget): Hit[] =>
  hits.filter(({ headers }) => headers['switchboard-trigger'] === 'replay');
const currentSteps = () =>
  page.getByRole('navigation', { name: 'Steps' }).locator('[aria-current]').allTextContents();
const newest = async () => (await daemon.get<ListPage<ReplaySummary>>('/replays?limit=1')).data[0]!;

describe('replays', () => {
  it('are explained while there are none', async () => {
    await show(page, '/');
    await navigationLink(page, 'Replays').click();
    await page.getByRole('heading', { name: 'No replays yet' }).waitFor();
    await page.getByRole('link', { name: 'New replay' }).click();
    await panel(page, 'Preview').getByText('No stored event was sent to a target.').waitFor();
    expect(await currentSteps()).toEqual(['1Select events']);
    await press(page.getByRole('button', { name: 'Destination and speed' }));
    await page.getByLabel('Selected targets').waitFor();
    expect(await currentSteps()).toEqual(['2Destination and speed']);
  });

  it('are planned in three steps, with a preview and a shareable URL', async () => {
    for (let i = 0; i < EVENTS; i += 1) await notify(i % 2 === 0 ? 'deal.updated' : 'task.created');
    await until('all are delivered', () => orders.hits.length === EVENTS);
    const { id } = await daemon.addTarget('archive', archive.url);
    await load(page, '/replays/new');
    const preview = panel(page, 'Preview');
    await preview.getByText('24 events', { exact: true }).waitFor();
    await show(page, '/replays/new?type=nothing.*');
    await preview.getByText('No event that was sent to a target matches. Widen the filter').waitFor();
    await show(page, `/replays/new?type=nothing.*&to=${id}`);
    await preview.getByText('No stored event matches. Widen the filter.').waitFor();
    await show(page, '/replays/new');
    await page.getByRole('combobox', { name: 'Event types' }).fill('deal.*');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await preview.getByText('12 events', { exact: true }).waitFor();
    await preview.getByText('12 deliveries').waitFor();
    expect(await preview.getByRole('row', { name: 'deal.updated 12' }).count()).toBe(1);
    expect(await preview.getByText('estimated').count()).toBe(0);

    await press(page.getByRole('button', { name: 'Destination and speed' }));
    await page.getByLabel('Selected targets').check();
    await preview.getByText('Select at least one target first.').waitFor();
    await page.getByLabel('archive', { exact: true }).check();
    await preview.getByRole('row', { name: 'archive 12' }).waitFor();
    await page.getByLabel('Rate limit').check();
    await page.getByLabel('Events per second').fill('0');
    await page.getByText('Enter a number from 0.01 to 10,000.').waitFor();
    await preview.getByText('Fix the speed first.').waitFor();
    await page.getByLabel('Events per second').fill('4');
    await preview.getByText('at least 3 s').waitFor();

    await page.reload();
    await preview.getByText('at least 3 s').waitFor();
    expect(await page.getByLabel('archive', { exact: true }).isChecked()).toBe(true);
    await page.goBack();
    await page.getByRole('combobox', { name: 'Event types' }).waitFor();
    await page.goForward();
    await press(page.getByRole('button', { name: 'Review and start' }));
    await page.getByText('at most 4 events per second').waitFor();
  });

  it('send only the previewed events, and end with a report', async () => {
    // Shown again, the plan is counted again.
    await page.getByRole('button', { name: 'Replay 12 events' }).waitFor();
    await panel(page, 'Preview').locator('[aria-busy]').waitFor({ state: 'detached' });
    const before = orders.hits.length;
    const late = await notify('deal.updated');
    await until('it is delivered', () => orders.hits.length === before + 1 && archive.of(late).length === 1);
    await press(page.getByRole('button', { name: 'Replay 12 events' }));
    await page.waitForURL(/\/replays\/rpl_/);
    await page.getByRole('heading', { level: 1, name: 'deal.*' }).waitFor();
    await page.getByText(/events\/s/).waitFor();
    await page.getByText('Done', { exact: true }).waitFor();
    await panel(page, 'Results').getByRole('row', { name: 'archive 12 12 0 0 0 12' }).waitFor();
    await page.getByText('12 of 12 events').waitFor();
    expect(replayed(archive)).toHaveLength(12);
    expect(archive.of(late)).toHaveLength(1);
    expect(replayed(orders)).toEqual([]);
    await page.getByRole('link', { name: 'Replays' }).first().click();
    await panel(page, 'History').getByRole('link', { name: 'deal.*' }).waitFor();
  });

  it('ask before a changed plan is left', async () => {
    await load(page, '/replays/new');
    await page.getByLabel('Entity').fill('deal:1');
    await page.waitForURL(/entity=deal:1/);
    await navigationLink(page, 'Events').click();
    const question = page.getByRole('dialog', { name: 'Leave without starting?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Entity').inputValue()).toBe('deal:1');
    await navigationLink(page, 'Events').click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/events$/);
  });

  it('are paused, resumed and, after confirmation, cancelled', async () => {
    await daemon.request('POST', '/replays', { filter: { types: ['task.*'] }, rate: { per_second: 2 } });
    await show(page, '/replays');
    const running = page.getByRole('list', { name: 'In progress' });
    await until('some are sent', () => replayed(orders).length > 0);
    await press(running.getByRole('button', { name: 'Pause replay: task.*' }));
    await running.getByText('Paused', { exact: true }).waitFor();
    const { events } = await newest();
    await until('all created deliveries are sent', () => replayed(orders).length === events);
    await press(running.getByRole('button', { name: 'Resume replay: task.*' }));
    await until('it continues', () => replayed(orders).length > events);
    await press(running.getByRole('button', { name: 'Cancel replay: task.*' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('A cancelled replay cannot be resumed').waitFor();
    expect((await newest()).state).toBe('running');
    await press(dialog.getByRole('button', { name: 'Cancel replay' }));
    const row = page.getByRole('listitem').filter({ hasText: 'task.*' });
    await row.getByText('Cancelled', { exact: true }).waitFor();
    const ended = await daemon.get<ReplayDetail>(`/replays/${(await newest()).id}`);
    expect(ended.events).toBeLessThan(12);
    expect(ended.events).toBeGreaterThan(events);
    await row.getByRole('link', { name: 'task.*' }).click();
    await panel(page, 'Results')
      .getByRole('row', { name: /^orders/ })
      .waitFor();
    await page.goBack();
    await row.waitFor();
  });
});

describe('a replay to a paused target', () => {
  it('shows which target it waits for, continues for the other, and finishes after a resume', async () => {
    const { data } = await daemon.get<ListPage<Target>>('/targets');
    const { id } = data.find(({ name }) => name === 'archive')!;
    await daemon.request('POST', `/targets/${id}/pause`);
    await show(page, `/replays/new?to=${id}`);
    const problems = page.getByRole('list', { name: 'Targets with problems' });
    await problems.getByText('archive: It is paused').waitFor();
    const [before, kept] = [replayed(orders).length, replayed(archive).length];
    const { body } = await daemon.request('POST', '/replays', {
      filter: { types: ['task.*'] },
      target_ids: data.map((target) => target.id),
    });
    await until('the other target has received all events', () => replayed(orders).length === before + 12);
    await show(page, `/replays/${(body as ReplayDetail).id}`);
    const waitingFor = page.getByRole('list', { name: 'Targets it is waiting for' });
    await waitingFor.getByText(/^Waiting for archive: paused .* \(Paused manually\)$/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(replayed(archive)).toHaveLength(kept);
    await daemon.request('POST', `/targets/${id}/resume`);
    await page.getByText('Done', { exact: true }).waitFor();
    expect(await waitingFor.count()).toBe(0);
    expect(replayed(archive)).toHaveLength(kept + 12);
  });
});

describe('the event’s page', () => {
  it('resends only valid JSON, marked as edited and without Co-Pilot’s signature', async () => {
    const id = await notify('deal.updated');
    await until('it is delivered', () => orders.of(id).length === 1 && archive.of(id).length === 1);
    await show(page, `/events/${id}`);
    await page.getByText('"Harbour"').waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Co.Pilot’s signature is omitted/).waitFor();
    const field = dialog.getByLabel('Payload');
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    const text = await field.inputValue();
    expect(text).toContain(`"reference": ${LONG_ID},\n`);
    await dialog.getByLabel('archive').uncheck();
    await field.fill(text.replace('"Harbour"', '"Harbour'));
    await dialog.getByText(/^This is not JSON: .*line/).waitFor();
    expect(await dialog.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
    await field.fill(text.replace('"Harbour"', '"Lighthouse"'));
    await page.keyboard.press('Escape');
    await dialog.getByText('What you typed would be lost.').waitFor();
    await press(dialog.getByRole('button', { name: 'Stay' }));
    await dialog.getByText('What you typed would be lost.').waitFor({ state: 'detached' });
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
});

describe('the screens of replays', () => {
  it('show all counts of a target without scrolling on a phone', async () => {
    const done = await newest();
    await withLook(page, { viewport: { width: 390, height: 844 } }, async () => {
      await show(page, `/replays/${done.id}`);
      const report = page.getByRole('region', { name: 'Deliveries by target' });
      const cells = 6 * done.target_ids!.length;
      await until('all counts are shown', async () => (await report.getByRole('cell').count()) === cells);
      expect(await report.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    });
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'have no accessibility violations and no horizontal overflow (%s, %d wide)',
    async (colorScheme, width) => {
      const disabled = await daemon.addTarget(`disabled ${colorScheme}`, archive.url);
      const id = await notify('deal.updated', 2);
      await until('the target has the event', () => archive.of(id).length > 0);
      await daemon.request('PATCH', `/targets/${disabled.id}`, { enabled: false });
      const done = await newest();
      const { body } = await daemon.request('POST', '/replays', { all: true, rate: { per_second: 0.1 } });
      const running = body as ReplayDetail;
      await withLook(page, { colorScheme, viewport: { width, height: 844 } }, async () => {
        const screens: [string, string][] = [
          ['/replays', 'In progress'],
          [`/replays/${running.id}`, 'Progress'],
          [`/replays/${done.id}`, 'Results'],
          ['/replays/new?type=deal.*', 'By event type'],
          ['/replays/new', 'left out'],
          ['/replays/new?step=destination&pace=10', 'Speed factor'],
          ['/replays/new?step=start', 'Review and start'],
          [`/events/${id}`, 'Duplicate 1'],
        ];
        for (const [path, words] of screens) {
          await show(page, path);
          await page.getByLabel(words).or(page.getByText(words)).first().waitFor();
          const found = {
            path,
            wider: await horizontalOverflow(page),
            findings: await accessibilityViolations(page),
          };
          expect(found).toEqual({ path, wider: 0, findings: [] });
        }
        await page.keyboard.press('e');
        await waitUntilOpen(page.getByRole('dialog'));
        expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
      });
      await daemon.request('POST', `/replays/${running.id}/cancel`);
      await daemon.request('DELETE', `/targets/${disabled.id}`);
    },
  );
});
