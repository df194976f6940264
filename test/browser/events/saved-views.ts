import type { SavedViews } from '../../../src/contract/saved-view';
import { accessibilityViolations, navigationLink, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page, search } from './hub';

const menu = () => page.getByRole('dialog', { name: /^View/ });
const button = (name: string) => menu().getByRole('button', { name, exact: true });

/** Opens the list. @param label of its button */
async function openViews(label = 'Views'): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).click();
  await menu().waitFor();
}

const savedNames = async () => (await daemon.get<SavedViews>('/saved-views')).data.map(({ name }) => name);
const namesAre = (...names: string[]) =>
  until(`the views are ${names.join()}`, async () => (await savedNames()).join() === names.join());

async function save(name: string): Promise<void> {
  await openViews();
  await menu().getByLabel('Save what is shown as').fill(name);
  await page.keyboard.press('Enter');
  await menu().getByRole('link', { name, exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await menu().waitFor({ state: 'detached' });
}

export function savedViews(): void {
  it('are saved, opened, pinned and found in the command palette', async () => {
    const FILTER = '?type=deal.*&status=succeeded&column=data.id';
    await show(page, `/events${FILTER}`);
    await save('Sold deals');
    await show(page, '/events');
    await openViews();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await menu().getByRole('link', { name: 'Sold deals' }).click();
    await page.getByRole('button', { name: 'View: Sold deals' }).waitFor();
    expect(search()).toBe(FILTER);
    await openViews('View: Sold deals');
    await button('Pin Sold deals').click();
    await navigationLink(page, 'Sold deals').waitFor();
    await show(page, '/settings');
    await navigationLink(page, 'Sold deals').click();
    await page.getByRole('button', { name: 'View: Sold deals' }).waitFor();
    await show(page, '/settings');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('sold');
    await page.getByRole('option', { name: 'Sold deals' }).click();
    await page.getByRole('button', { name: 'View: Sold deals' }).waitFor();
  });

  it('are opened by the link of their screen if they are its default, also after a reload', async () => {
    const [{ address } = { address: '' }] = (await daemon.get<SavedViews>('/saved-views')).data;
    await show(page, '/events');
    await openViews();
    await button('Default: Sold deals').click();
    expect(await button('Default: Sold deals').getAttribute('aria-pressed')).toBe('true');
    await page.reload();
    await show(page, '/settings');
    await navigationLink(page, 'Events').click();
    await page.getByRole('button', { name: 'View: Sold deals' }).waitFor();
    expect(`/events${search()}`).toBe(address);
    await show(page, '/settings');
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await openViews('View: Sold deals');
    await button('Default: Sold deals').click();
    await page.keyboard.press('Escape');
    await show(page, '/settings');
    await navigationLink(page, 'Events').click();
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
    expect(search()).toBe('');
  });

  it('are renamed, take over what is shown, and a name that is taken is refused', async () => {
    await show(page, '/events?entity=deal:1');
    await save('One deal');
    await show(page, '/events?entity=deal:2');
    await openViews();
    await menu().getByLabel('Save what is shown as').fill('ONE deal');
    await button('Save view').click();
    await menu().getByText('There is a saved view “One deal” already.').waitFor();
    await button('Edit One deal').click();
    await menu().getByLabel('Name').fill('Second deal');
    await button('Rename').click();
    await namesAre('Second deal', 'Sold deals');
    await button('Edit Second deal').click();
    await button('Use what is shown').click();
    await page.getByRole('button', { name: 'View: Second deal' }).waitFor();
    await page.keyboard.press('Escape');
    await menu().waitFor({ state: 'detached' });
  });

  it('are deleted, which can be undone', async () => {
    await show(page, '/events');
    await openViews();
    await button('Delete Sold deals').click();
    await namesAre('Second deal');
    await page
      .getByRole('alert')
      .filter({ hasText: 'Sold deals deleted' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await namesAre('Second deal', 'Sold deals');
  });

  it('belong to their screen, of which others with filters have some, too', async () => {
    await show(page, '/targets?state=active');
    await save('What works');
    await show(page, '/targets');
    await openViews();
    await menu().getByRole('link', { name: 'What works' }).click();
    await page.getByRole('button', { name: 'View: What works' }).waitFor();
    expect(search()).toBe('?state=active');
    await show(page, '/failures');
    await openViews();
    expect(await menu().getByRole('link').count()).toBe(0);
    await page.keyboard.press('Escape');
  });
}
