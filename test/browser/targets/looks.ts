import { show, violationsInBothThemes, withLook } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, daemon, notify, page, receiver, targetNamed } from './hub';

/** Expands all sections of a screen. */
async function expandAll(): Promise<void> {
  await page.getByText('Filter by content').or(page.getByRole('heading')).first().waitFor();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}

async function expectAccessible(screen: string): Promise<void> {
  expect({ screen, found: await violationsInBothThemes(page) }).toEqual({ screen, found: [] });
}

export function looksOfTargets(): void {
  it('have no horizontal overflow on a phone, and no broken ages', async () => {
    receiver.respondWith(503);
    await addTarget({ name: 'queueing', url: receiver.url });
    await notify(1);
    const { id } = await addTarget({
      name: 'a name of some length as names are',
      url: `${receiver.url}&with=${'a'.repeat(200)}`,
      headers: [{ name: 'authorization', value: 'x', secret: true }],
      filter: { 'data.some.rather.long.path.into.it': { $in: ['one', 'two', 'three'] } },
    });
    await withLook(page, { viewport: { width: 390, height: 844 } }, async () => {
      await show(page, '/targets');
      const backlog = page.getByRole('row').filter({ hasText: 'queueing' });
      const age = backlog.getByText(/^oldest \d+ s$/);
      const lines = await age.evaluate((element) => {
        Object.assign(element.parentElement!.style, { display: 'inline-block', width: 'min-content' });
        return new Set([...element.getClientRects()].map(({ top }) => top)).size;
      });
      expect(lines).toBe(1);
      for (const path of ['/targets', `/targets/${id}`, '/targets/new']) {
        await show(page, path);
        if (path.endsWith(id)) await page.getByRole('button', { name: 'Edit' }).click();
        await expandAll();
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll('main, main *')]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .filter((element) => element.closest('[data-scrollable], .mantine-VisuallyHidden-root') === null)
            .map((element) => element.outerHTML.slice(0, 120)),
        );
        expect({ path, wide }).toEqual({ path, wide: [] });
      }
    });
  });

  it('have all buttons of the list in one row on a small phone', async () => {
    const { id } = await addTarget({ name: 'paused', url: receiver.url });
    await addTarget({ name: 'not paused', url: receiver.url });
    await daemon.request('POST', `/targets/${id}/pause`);
    await withLook(page, { viewport: { width: 360, height: 800 } }, async () => {
      await show(page, '/targets');
      await page.getByRole('button', { name: 'Resume all' }).waitFor();
      const { right } = await page
        .getByRole('link', { name: 'Add a target' })
        .evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
      expect(right).toBeLessThanOrEqual(360 - 16);
    });
  });

  it('have no accessibility violations in either theme, collapsed or expanded', async () => {
    receiver.respondWith(503);
    const down = await addTarget({
      name: 'down',
      url: receiver.url,
      filter: { 'data.status_id': 1 },
      headers: [{ name: 'authorization', value: 'x', secret: true }],
      tls: { verify: false },
      policy: { breaker: { failures: 1, first_probe_s: 600, cap_s: 600 }, ordering: 'entity' },
    });
    await notify(1);
    await until('it is down', async () => (await targetNamed('down')).breaker !== null);
    await show(page, '/targets');
    await expectAccessible('list');
    await show(page, `/targets/${down.id}`);
    await page.getByText(/Down: circuit breaker opened/).waitFor();
    await expectAccessible('target');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.locator('[data-secret]').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await expandAll();
    await expectAccessible('target, edited');
    await show(page, '/targets/new');
    await expandAll();
    await page.getByRole('button', { name: 'Add group' }).click();
    await expectAccessible('new target, with conditions');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('textbox', { name: 'Filter', exact: true }).fill('{"$where": 1}');
    await page.getByText('At $where: unknown operator').waitFor();
    await page.getByRole('textbox', { name: 'Timeout' }).fill('long');
    await page.getByRole('checkbox', { name: 'Skip certificate verification' }).check();
    await page.getByRole('button', { name: 'Add header' }).click();
    await expectAccessible('new target, expanded');
  });
}
