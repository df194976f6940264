import type { Target } from '../../../src/contract/target';
import { violationsInBothThemes, panel, show, withLook } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, daemon, notify, page, receiver, targetNamed } from './hub';

const PHONE = { viewport: { width: 360, height: 740 } };

export function transformationOfTarget(): void {
  it('shows what is made of an event while typing, and saves it with a test made of that', async () => {
    for (const status of [3, 7]) await notify(status, 901);
    await addTarget({ name: 'shaped', url: receiver.url });
    const { id } = await targetNamed('shaped');
    await show(page, `/targets/${id}`);
    await page.getByRole('link', { name: 'The payload, unchanged' }).click();
    const expression = page.getByRole('textbox', { name: 'JSONata' });
    const saveButton = page.getByRole('button', { name: 'Save', exact: true });
    // Otherwise the payload would be sent as an expression makes it, although none was written.
    expect(await saveButton.getAttribute('aria-disabled')).toBe('true');
    const back = page.getByRole('main').getByRole('link', { name: 'shaped' });
    expect(await page.getByRole('main').getByRole('link', { name: 'Targets' }).count()).toBe(0);
    expect(await back.getAttribute('href')).toBe(`/targets/${id}`);
    await expression.fill('{"status": data.status_id + ""}');
    const result = panel(page, 'Result');
    await result
      .locator('[data-tone=bad]')
      .getByText(/^T2002 at character \d+/)
      .waitFor();
    const make = result.getByRole('button', { name: 'Make a test of this' });
    await until('no test can be made', async () => (await make.getAttribute('aria-disabled')) === 'true');
    await expression.fill('{"status": data.status_id, "before": $previous.data.status_id}');
    await result.getByText('"before": 3').waitFor();
    const before = panel(page, 'Event').getByLabel('$previous');
    await before.getByText('"status_id": 3').waitFor();
    // By the keyboard alone.
    await make.press('Enter');
    const test = panel(page, 'Tests').getByRole('listitem');
    await test.getByText('Passes').waitFor();
    await saveButton.press('Enter');
    // What is typed while it is saved stays.
    await expression.fill('{"state": data.status_id}');
    const saved = async () => (await daemon.get<Target>(`/targets/${id}`)).transform;
    await until('it is saved', async () => (await saved())?.tests?.length === 1);
    expect((await saved())!.tests).toMatchObject([
      { previous: { data: { status_id: 3 } }, expected: { status: 7, before: 3 } },
    ]);

    await test.getByText('state: 7 in place of nothing').waitFor();
    await saveButton.press('Enter');
    await page.getByText('not as expected: status, before, state').waitFor();
    await page.getByRole('button', { name: 'Save all the same' }).press('Enter');
    await until('it is saved', async () => (await saved())?.expression === '{"state": data.status_id}');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await withLook(page, PHONE, async () => {
      await test.getByText('Fails').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });
  });

  it('retries what its expression has failed with', async () => {
    const transform = { expression: 'data.status_id + ""' };
    await addTarget({ name: 'failing', url: receiver.url, transform });
    await notify(1);
    await until('it is a dead letter', async () => (await targetNamed('failing')).backlog.dead === 1);
    const { id } = await targetNamed('failing');
    await daemon.request('PATCH', `/targets/${id}`, { transform: { expression: 'data.status_id' } });
    await show(page, `/targets/${id}/transformation`);
    await page.getByRole('button', { name: 'Retry the 1 that failed' }).click();
    await until('it is delivered', async () => receiver.hits.some(({ body }) => body.toString() === '1'));
    await page.getByRole('button', { name: 'Retry the 1 that failed' }).waitFor({ state: 'detached' });
  });
}
