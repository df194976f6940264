import type { Page as ListPage } from '../../../src/contract/page';
import { hasFocus, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, field, page } from './hub';

export function copying(): void {
  it('works without the clipboard API, which browsers offer only on HTTPS and localhost', async () => {
    await page.addInitScript('delete Navigator.prototype.clipboard');
    const { data } = await daemon.get<ListPage<{ id: string }>>('/events?limit=1');
    await show(page, `/events/${data[0]!.id}`);
    await page.getByRole('button', { name: 'Copy the event id' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Control+k');
    await until('the field has the focus', () => hasFocus(field()));
    await page.keyboard.press('Control+v');
    await until('the id is pasted', async () => (await field().inputValue()) === data[0]!.id);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('says what to do if the browser refuses it', async () => {
    await page.evaluate('document.execCommand = () => false');
    await page.getByRole('button', { name: 'Copy the event id' }).click();
    await page.getByText('Select the text, and press Ctrl+C').waitFor();
    expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0);
  });
}
