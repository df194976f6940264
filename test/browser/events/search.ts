import type { Page as ListPage } from '../../../src/contract/page';
import type { ReplaySummary } from '../../../src/contract/replay';
import type { Target } from '../../../src/contract/target';
import { load, press, show } from '../../support/browser/dashboard';
import { emit } from '../../support/daemon/emit';
import { until } from '../../support/until';
import { daemon, page, rows, rowsAre, rowsAreAll, search, target } from './hub';

const chips = () => page.getByRole('list', { name: 'Active filters' }).getByRole('listitem');

const timeRange = () => page.getByRole('button', { name: /^Received: / });

export function eventSearch(): void {
  it('searches by text, type, entity, status, target and time, with a shareable URL', async () => {
    const added = await daemon.addTarget('orders', target.url);
    for (let i = 1; i <= 12; i += 1) {
      const type = i % 4 === 0 ? 'task.created' : 'deal.updated';
      await emit(daemon, type, {
        id: i,
        name: `Order ${i}`,
        note: i === 7 ? 'Größe <b>XL</b> & "more"' : 'plain',
      });
    }
    await show(page, '/events');
    await rowsAreAll();
    await page.getByLabel('Text in the payload').fill('Größe <b>xxl');
    await page.getByRole('heading', { name: 'No events match' }).waitFor();
    for (const name of ['Replay these', 'Export these'])
      await page.getByRole('button', { name, disabled: true }).waitFor();
    await page.getByLabel('Text in the payload').fill('Größe <b>xl');
    await rowsAre(1);
    await page.getByRole('link', { name: 'deal.updated' }).waitFor();
    expect(new URLSearchParams(search()).get('q')).toBe('Größe <b>xl');
    expect(await chips().first().textContent()).toBe('text: Größe <b>xl');
    await page.reload();
    await rowsAre(1);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await rowsAreAll();
    await page.getByLabel('Status').selectOption('Delivered');
    await page.getByLabel('Target').selectOption('orders');
    await rowsAre(12);
    expect(search()).toBe(`?status=succeeded&target=${added.id}`);
    await page.getByRole('combobox', { name: 'Type' }).fill('task.*');
    await page.keyboard.press('Enter');
    await rowsAre(3);
    await timeRange().click();
    await page.getByLabel('Until').fill('2020-01-01 00:00');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No events match' }).waitFor();
    await page.getByRole('link', { name: 'Clear all filters' }).click();
    await rowsAreAll();
    expect(search()).toBe('');
  });

  it('goes back through previous searches, and removes single filters', async () => {
    await show(page, '/events?type=deal.updated&type=task.*&status=succeeded');
    await chips().first().waitFor();
    expect(await chips().allTextContents()).toEqual(['deal.updated', 'task.*', 'Clear all']);
    await page.getByRole('button', { name: 'Remove filter deal.updated' }).click();
    await rowsAre(3);
    expect(search()).toBe('?type=task.*&status=succeeded');
    await page.getByRole('link', { name: 'task:8' }).click();
    await rowsAre(1);
    expect(search()).toBe('?entity=task:8');
    expect(await chips().first().textContent()).toBe('task:8');
    await page.goBack();
    await rowsAre(3);
    await page.goBack();
    await rowsAre(12);
    expect(await chips().allTextContents()).toEqual(['deal.updated', 'task.*', 'Clear all']);
  });

  it('has one control for the time, whose relative ranges stay relative', async () => {
    await show(page, '/events');
    await timeRange().click();
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await page.getByRole('button', { name: /^Received: Last 24 hours$/ }).waitFor();
    expect(search()).toBe('?range=24h');
    await timeRange().click();
    const dialog = page.getByRole('dialog', { name: 'Received' });
    await dialog.getByLabel('From').fill('yesterday evening');
    await page.keyboard.press('Enter');
    await dialog.getByText('Write it as 2026-11-22 23:00.').waitFor();
    await dialog.getByLabel('From').fill('2020-01-01 23:00');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Received: From 2020-01-01 23:00$/ }).waitFor();
    expect(new URLSearchParams(search()).get('since')).toMatch(/^20(19|20)-/);
  });

  it('names what it cannot use of its URL, and leaves it out', async () => {
    await load(page, '/events?since=nonsense&target=crm&type=deal.*');
    expect(await timeRange().textContent()).toBe('Any time');
    const note = page.getByRole('alert').filter({ hasText: 'since=nonsense, target=crm' });
    await note.waitFor();
    await press(note.getByRole('button', { name: 'OK' }));
    await note.waitFor({ state: 'detached' });
    expect(search()).toBe('?type=deal.*');
  });

  it('says which value of its URL the daemon rejects, and offers to clear the filters', async () => {
    await load(page, `/events?q=${'x'.repeat(201)}`);
    const error = page.getByRole('region', { name: 'Results' }).getByRole('alert');
    expect(await error.innerText()).toMatch(/q: .*200/);
    await press(error.getByRole('link', { name: 'Clear all filters' }));
    await rowsAreAll();
    expect(search()).toBe('');
  });

  it('searches by conditions on the payload, and shows its fields as columns', async () => {
    await show(page, '/events');
    await rowsAreAll();
    await page.getByRole('button', { name: 'Payload condition' }).click();
    await page.getByLabel('Field').fill('data.id');
    await page.getByLabel('Condition', { exact: true }).selectOption('at most');
    await page.getByLabel('Value').fill('3');
    await page.keyboard.press('Enter');
    await rowsAre(3);
    expect(await chips().first().textContent()).toBe('data.id at most 3');
    expect(new URLSearchParams(search()).get('payload')).toBe('{"data.id":{"$lte":3}}');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Find a payload field').fill('note');
    await page.getByRole('checkbox', { name: /^data\.note/ }).click();
    await page.keyboard.press('Escape');
    await until('the values are shown', async () =>
      (await rows().allTextContents()).every((text) => text.includes('plain')),
    );
    expect(new URLSearchParams(search()).get('column')).toBe('data.note');
    await page.reload();
    await rowsAre(3);
    expect(await rows().first().textContent()).toContain('plain');
  });

  it('hides the events of Switchboard itself unless they are asked for', async () => {
    await show(page, '/events');
    await rowsAreAll();
    await page.getByRole('button', { name: 'System events' }).click();
    await rows().filter({ hasText: 'relay.' }).first().waitFor();
    expect(search()).toBe('?system=shown');
    await show(page, '/events?type=relay.*');
    await rows().filter({ hasText: 'relay.' }).first().waitFor();
  });

  it('passes its filter to a new replay, which opens ready to start', async () => {
    const [orders] = (await daemon.get<ListPage<Target>>('/targets')).data;
    await show(page, '/events?type=task.*&status=succeeded&q=order');
    await page.getByRole('button', { name: 'Replay these', disabled: true }).waitFor();
    await show(page, `/events?type=task.*&status=succeeded&target=${orders!.id}&q=order`);
    await page.getByRole('link', { name: 'Replay these' }).click();
    await page.getByRole('heading', { name: 'New replay' }).waitFor();
    expect(search()).toBe(`?type=task.*&outcome=succeeded&target=${orders!.id}&q=order&step=start`);
    expect((await daemon.get<ListPage<ReplaySummary>>('/replays')).data.length).toBeLessThan(2);
  });

  it('shows an error if the daemon does not respond, and recovers', async () => {
    await show(page, '/events');
    await page.route('**/api/v1/events?*', (route) => route.abort());
    await page.getByLabel('Text in the payload').fill('order 5');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('**/api/v1/events?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowsAre(1);
  });
}
