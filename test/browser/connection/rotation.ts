import {
  hasFocus,
  holdRequests,
  panel,
  placeOf,
  press,
  show,
  withLook,
} from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page, send, upstream } from './hub';

/** Soon after a start the old webhook is kept for a while, so the rotation has only started. */
const ROTATED = /^(Rotated|Rotation started)\. /;

/** The webhook that was registered last. */
const newest = () => [...upstream.webhooks.values()].at(-1)!;

export function rotation(): void {
  it('rotates address and secret without showing them', async () => {
    const before = newest();
    await press(page.getByRole('button', { name: 'Rotate' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Rotate' }));
    await page.getByText(ROTATED).waitFor();
    const { url, secret } = newest();
    expect(url).not.toBe(before.url);
    expect(secret).not.toBe(before.secret);
    expect(await send(newest())).toBe(200);
    const shown = await page.content();
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(new URL(url).pathname.split('/').at(-1));
  });

  it('accepts quarantined notifications that verify on a recheck, and says that the others still do not', async () => {
    const old = newest();
    await daemon.request('POST', '/subscription/rotate');
    expect(await send(newest(), { ...newest(), secret: 'nobody-knows' })).toBe(401);
    expect(await send(old, newest())).toBe(401);
    await show(page, '/connection');
    const rows = panel(page, 'Quarantine').getByRole('listitem');
    await until('both are in quarantine', async () => (await rows.count()) === 2);
    await rows.nth(1).locator('summary').click();
    await rows.nth(1).locator('pre').getByText('deal.updated').waitFor();
    const again = rows.nth(1).getByRole('button', { name: 'Recheck' });
    await press(again);
    await rows.nth(1).getByText('No signature in its headers matches').waitFor();
    expect(await hasFocus(again)).toBe(true);

    await rows.first().locator('summary').click();
    await press(rows.first().getByRole('button', { name: 'Recheck' }));
    await page.getByText('it was stored as an event').waitFor();
    await until('its row is gone', async () => (await rows.count()) === 1);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('stored as an event');
    await page.getByRole('link', { name: 'View event' }).click();
    await page.getByRole('heading', { name: 'deal.updated' }).waitFor();
  });

  it('deletes a quarantined notification after it has asked', async () => {
    const rows = panel(page, 'Quarantine').getByRole('listitem');
    await show(page, '/connection');
    await rows.first().locator('summary').click();
    await press(rows.first().getByRole('button', { name: 'Delete' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByText('The notification was deleted.').waitFor();
    await until('its row is gone', async () => (await rows.count()) === 0);
    await until('the outcome has the focus', () =>
      page.evaluate(() => document.activeElement?.textContent?.includes('was deleted') === true),
    );
    expect(await send(newest(), { ...newest(), secret: 'nobody-knows' })).toBe(401);
  });

  it('scrolls to the quarantine if the address names it, and stays there while the rest is loading', async () => {
    await withLook(page, { viewport: { width: 1024, height: 500 } }, async () => {
      const { origin } = new URL(page.url());
      const release = await holdRequests(page, /\/api\/v1\/(subscription|connection|outages)\b/);
      // From another document, so that everything is loaded again.
      await page.goto('about:blank');
      await page.goto(`${origin}/connection#quarantine`);
      const quarantine = panel(page, 'Quarantine');
      await quarantine.getByRole('listitem').first().waitFor();
      await release();
      await page.getByRole('button', { name: 'Rotate' }).waitFor();
      await until('it is in view', async () => {
        const { y } = await placeOf(quarantine);
        return y >= 0 && y < 400;
      });
    });
  });

  it('shows requests that were not stored, by reason', async () => {
    const { pathname } = new URL(newest().url);
    for (const path of [pathname, pathname, '/hooks/nobody']) await fetch(`${daemon.url}${path}`);
    await show(page, '/connection');
    const rows = panel(page, 'Not stored').getByRole('listitem');
    await rows
      .filter({ hasText: 'Not a POST' })
      .filter({ hasText: 'possibly redirected on the way' })
      .waitFor();
    expect(await rows.filter({ hasText: 'Not a POST' }).innerText()).toMatch(/\b2\b/);
    expect(await rows.filter({ hasText: 'Unknown key' }).innerText()).toMatch(/\b1\b/);
  });

  it('offers to delete the old webhook first if Co-Pilot rejects a second one, and names the risk', async () => {
    const before = newest();
    upstream.misbehave('POST /v1/webhooks', { status: 409, body: { message: 'limit of 1 webhook' } }, 1);
    await press(page.getByRole('button', { name: 'Rotate' }));
    const dialog = page.getByRole('dialog');
    await press(dialog.getByRole('button', { name: 'Rotate' }));
    await dialog.getByText('Events between deletion and registration are lost').waitFor();
    expect(await dialog.innerText()).not.toContain('delete_first');
    expect(newest().url).toBe(before.url);
    await press(dialog.getByRole('button', { name: 'Delete old webhook first' }));
    await page.getByText(ROTATED).waitFor();
    expect(newest().url).not.toBe(before.url);
    expect([...upstream.webhooks.values()]).not.toContainEqual(before);
  });
}
