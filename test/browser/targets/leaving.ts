import { hasFocus, navigationLink, panel, prefer, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, field, fillNewTarget, page, receiver, save, targetNamed } from './hub';

const question = (name: string) => page.getByRole('dialog', { name });
const navigation = (name: string) => navigationLink(page, name);

export function leavingTargets(): void {
  it('asks before what was typed is lost, and keeps it if the user stays', async () => {
    await fillNewTarget('unsaved');
    await navigation('Events').click();
    await question('Leave without saving?').getByRole('button', { name: 'Stay' }).click();
    await question('Leave without saving?').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('unsaved');
    await page.goBack();
    await question('Leave without saving?').getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL((url) => url.pathname !== '/targets/new');
  });

  it('keeps what was typed, and a secret that is shown, in another time zone', async () => {
    await fillNewTarget('in two time zones');
    await prefer(page, 'UTC');
    expect(await page.getByLabel('Name').inputValue()).toBe('in two time zones');
    const secret = await save();
    await prefer(page, 'Local');
    expect(await page.locator('[data-secret]').innerText()).toBe(secret);
  });

  it('shows times of the other time zone beside a secret', async () => {
    const { id } = await addTarget({ name: 'rotated', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const secret = await page.locator('[data-secret]').innerText();
    const end = panel(page, 'Signing secret').locator('time').first();
    const local = await end.innerText();
    await prefer(page, 'UTC');
    await until('the time is in UTC', async () => (await end.innerText()) !== local);
    expect(await page.locator('[data-secret]').innerText()).toBe(secret);
    await prefer(page, 'Local');
  });

  it('asks nothing about a form that is unchanged', async () => {
    const { id } = await addTarget({ name: 'unchanged', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await field('Name').fill('changed');
    await field('Name').fill('unchanged');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await until('the button has the focus', () => hasFocus(page.getByRole('button', { name: 'Edit' })));
    await page.keyboard.press('Enter');
    await field('Name').waitFor();
    await navigation('Events').click();
    await page.waitForURL(/\/events$/);
  });

  it('asks before a secret is left that was not saved, and says after a reload that it is gone', async () => {
    await fillNewTarget('with a secret');
    await save();
    const { id } = await targetNamed('with a secret');
    await until('the secret is in view', () => page.locator('main').evaluate((main) => main.scrollTop === 0));
    await page.waitForURL(new RegExp(`/targets/${id}$`));
    await navigation('Events').click();
    await question('Leave without the secret?').getByRole('button', { name: 'Stay' }).click();
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
    await reloaded;
    await panel(page, 'Signing secret').getByText('cannot be shown again').waitFor();
    expect(page.url()).toMatch(new RegExp(`/targets/${id}$`));
  });
}
