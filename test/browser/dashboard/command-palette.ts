import type { Page as ListPage } from '../../../src/contract/page';
import type { Target } from '../../../src/contract/target';
import {
  accessibilityViolations,
  hasFocus,
  holdRequests,
  load,
  prefer,
  press,
  show,
  waitUntilLive,
  waitUntilOpen,
} from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, dialog, field, notify, page, type, urlOf } from './hub';

const option = (name: string | RegExp) => dialog().getByRole('option', { name });

const isSelected = (name: string | RegExp) => option(name).and(page.locator('[aria-selected=true]'));

async function orders(): Promise<Target> {
  const { data } = await daemon.get<ListPage<Target>>('/targets');
  return data.find(({ name }) => name === 'orders')!;
}

export function commandPalette(): void {
  it('opens screens and targets by keyboard, from any screen and from within a text field', async () => {
    await show(page, '/events');
    await page.keyboard.press('/');
    await type('conn');
    await isSelected(/^Connection/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/connection$/);

    await type('orders');
    await isSelected(/^orders/).waitFor();
    for (const [key, name] of [
      ['ArrowDown', /^Pause orders/],
      ['ArrowDown', /^Test orders/],
      ['ArrowUp', /^Pause orders/],
      ['ArrowUp', /^orders/],
    ] as const) {
      await page.keyboard.press(key);
      await isSelected(name).waitFor();
    }
    const active = await field().getAttribute('aria-activedescendant');
    expect(active).toBe(await option(/^orders/).getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/targets\/tgt_/);
  });

  it('keeps what is typed before it has loaded, of which the screen takes nothing for a shortcut', async () => {
    await load(page, '/events');
    const release = await holdRequests(page, /command-palette/);
    const before = page.getByRole('main').getByRole('button', { name: 'Views', exact: true });
    await before.focus();
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('sett');
    await release();
    await isSelected(/^Settings/).waitFor();
    expect(await field().inputValue()).toBe('sett');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/events');
    await until('the focus returns', () => hasFocus(before));
  });

  it('opens an event by its id or a text in its payload, and an entity by its name', async () => {
    await notify('Lighthouse keepers');
    const { data } = await daemon.get<ListPage<{ id: string; entity: string }>>('/events?q=Lighthouse');
    const { id, entity } = data[0]!;
    await type(id);
    await isSelected(/^evt_/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/events/${id}$`));
    await type('lighthouse k');
    await isSelected(new RegExp(`^${entity}`)).waitFor();
    await option(/^deal.updated/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/entities/${entity}$`));
  });

  it('pauses a target and tells so, and plans a replay of the last hour’s failures', async () => {
    await show(page, '/');
    await page.getByRole('button', { name: 'Search or run a command…' }).click();
    await waitUntilOpen(dialog());
    await page.keyboard.type('pause ord');
    await isSelected(/^Pause orders/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'orders paused' }).waitFor();
    const { data } = await daemon.get<ListPage<Target>>('/targets');
    expect(data.find(({ name }) => name === 'orders')?.paused).not.toBeNull();
    await type('failures replay');
    await isSelected(/^Replay the last hour/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/replays\/new\?.*outcome=dead/);
    expect(Date.parse(new URL(page.url()).searchParams.get('since')!)).toBeLessThan(Date.now() - 3_590_000);
  });

  it('resumes a target, after asking if deliveries are queued', async () => {
    const { id } = await orders();
    await daemon.request('POST', `/targets/${id}/pause`);
    await notify('Queued');
    await show(page, '/targets');
    const queue = page.getByRole('row').filter({ hasText: 'orders' }).getByText('1 queued');
    await queue.waitFor();
    await type('resume ord');
    await isSelected('Resume orders').waitFor();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Resume orders?' });
    await question.getByText('orders: 1 queued').waitFor();
    expect((await orders()).paused).not.toBeNull();
    await press(question.getByRole('button', { name: 'Resume' }));
    await queue.waitFor({ state: 'detached' });
    expect((await orders()).paused).toBeNull();
    await daemon.request('POST', `/targets/${id}/pause`);
    await type('resume ord');
    await isSelected('Resume orders').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('orders resumed').waitFor();
    expect((await orders()).paused).toBeNull();
  });

  it('offers to undo a pause, and actions before targets that it would not change', async () => {
    const { data } = await daemon.get<ListPage<Target>>('/targets');
    const { id } = data.find(({ name }) => name === 'orders')!;
    await daemon.request('POST', `/targets/${id}/pause`);
    await show(page, '/');
    await type('paus');
    await isSelected(/^Pause /).waitFor();
    await field().fill('pause all');
    await isSelected('Pause all targets').waitFor();
    await page.keyboard.press('Enter');
    const notice = page.getByRole('alert').filter({ hasText: 'All targets paused' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('All targets resumed').waitFor();
    const { data: after } = await daemon.get<ListPage<Target>>('/targets');
    // Undone is what this changed.
    expect(after.filter(({ paused }) => paused !== null).map(({ name }) => name)).toEqual(['orders']);
    await daemon.request('POST', `/targets/${id}/resume`);
  });

  it('changes the theme, and opens right after a popover was closed', async () => {
    await type('theme dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await prefer(page, 'Light');
    await page.keyboard.press('Control+k');
    await waitUntilOpen(dialog());
    await page.keyboard.press('Escape');
  });

  it('has no accessibility violations, closes with Escape, and is not loaded before', async () => {
    const fresh = await page.context().newPage();
    const loaded: string[] = [];
    fresh.on('request', (request) => void loaded.push(request.url()));
    await fresh.goto(urlOf('/'));
    await waitUntilLive(fresh);
    expect(loaded.filter((url) => url.includes('command-palette'))).toEqual([]);
    await fresh.close();
    await type('e');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });
}
