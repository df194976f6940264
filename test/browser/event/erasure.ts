import type { Erasure } from '../../../src/contract/erasure';
import type { Page } from '../../../src/contract/page';
import {
  accessibilityViolations,
  horizontalOverflow,
  panel,
  press,
  show,
  waitUntilOpen,
} from '../../support/browser/dashboard';
import { daemon, open, page, send } from './hub';

const dialog = (name: string) => page.getByRole('dialog', { name });

/** Opens the dialog, fills it in, and starts the erasure. */
async function erase(
  title: string,
  id: string,
  reason: string,
  choose: () => Promise<void> = async () => undefined,
  beforeLast: () => Promise<void> = async () => undefined,
): Promise<void> {
  await press(page.getByRole('button', { name: 'Erase…' }));
  await waitUntilOpen(dialog(title));
  await choose();
  await dialog(title).getByRole('textbox', { name: 'Reason' }).fill(reason);
  await press(dialog(title).getByRole('button', { name: 'Erase' }));
  await dialog(title).getByText(`Type ${id} to confirm.`).waitFor();
  await dialog(title)
    .getByRole('textbox', { name: `Type ${id}` })
    .fill(id);
  await beforeLast();
  await press(dialog(title).getByRole('button', { name: 'Erase' }));
  await dialog('Erasure').getByText('Nothing shows the content any more').waitFor();
}

const erasures = async () => (await daemon.get<Page<Erasure>>('/erasures')).data;

export function erasure(): void {
  it('takes a reason and the id, then shows the event without content', async () => {
    const target = await daemon.addTarget('without receiver', 'http://127.0.0.1:9/', {
      policy: { retry: { delays_s: [] } },
    });
    const id = await send('{"id":901,"name":"Ada Erased"}');
    await open(id);
    await panel(page, 'Deliveries')
      .getByText(/^Retry/)
      .first()
      .waitFor();
    await erase('Erase this event?', id, 'A wrong field');
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await press(dialog('Erasure').getByRole('button', { name: 'Close', exact: true }).last());
    await panel(page, 'Payload')
      .getByText(/^Erased /)
      .waitFor();
    await panel(page, 'Details').getByText('Erased', { exact: true }).waitFor();
    expect(await page.getByText('Ada Erased').count()).toBe(0);
    await page.getByText(/Cancelled for without receiver\.$/).waitFor();
    expect(await panel(page, 'Deliveries').getByRole('button').count()).toBe(0);
    await show(page, '/events');
    await page.locator(`li:has(a[href*="${id}"])`).getByText('Erased', { exact: true }).waitFor();
    await show(page, `/events/${id}`);
    await daemon.request('DELETE', `/targets/${target.id}`);
    expect(await panel(page, 'Details').getByText('Unreadable').count()).toBe(0);
    expect(await erasures()).toMatchObject([{ event_id: id, reason: 'A wrong field', events: 1 }]);
  });

  it('of an entity takes all its events and those that mention it, and Settings list it', async () => {
    for (const n of [1, 2]) await send(`{"id":902,"n":${n}}`);
    await send('{"id":903,"name":"Mentions Ada","of":902}');
    await show(page, '/entities/deal:902');
    await page.getByText('First stored event.').waitFor();
    const question = 'Erase all events of deal:902?';
    await erase(
      question,
      'deal:902',
      'To be forgotten',
      async () => {
        await press(dialog(question).getByRole('button', { name: 'Add condition' }));
        await dialog(question).getByLabel('Field of condition 1').fill('data.of');
        await dialog(question).getByLabel('Value of condition 1').fill('902');
        await dialog(question).getByText('1 event found:').waitFor();
        await dialog(question).getByRole('link', { name: 'deal.updated deal:903' }).waitFor();
        expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
      },
      async () => {
        await send('{"id":902,"name":"Arrives meanwhile"}');
        await press(dialog(question).getByRole('button', { name: 'Erase' }));
        await dialog(question)
          .getByText(/^More events have arrived/)
          .waitFor();
        await dialog(question)
          .getByText(/^3 events lose their content/)
          .waitFor();
      },
    );
    await dialog('Erasure').getByText('4 events erased').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'No stored events for deal:902' }).waitFor();
    await show(page, '/settings');
    const row = panel(page, 'Erasures').getByRole('listitem').filter({ hasText: 'deal:902' });
    await row.getByText('To be forgotten').waitFor();
    await row.getByText('Cleaning').waitFor();
    expect(await accessibilityViolations(page, '[aria-label=Erasures]')).toEqual([]);
    expect(await horizontalOverflow(page)).toBe(0);
  });
}
