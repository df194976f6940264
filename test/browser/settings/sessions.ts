import type { LoginLink } from '../../../src/contract/session';
import { panel, press, waitUntilLive } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { enter, entries, page, session } from './hub';

const sessions = () => panel(page, 'Sessions').getByRole('listitem');

export function listedSessions(): void {
  it('are listed with the current one marked, and can be ended one by one', async () => {
    const other = await session.enter({
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
    });
    await waitUntilLive(other.page);
    await page.reload();
    await sessions().filter({ hasText: 'this browser' }).waitFor();
    const row = sessions().filter({ hasText: 'Firefox on Linux' });
    expect(await row.innerText()).toMatch(/signed in with a login link\s+from 127\.0\.0\.1/);
    await press(row.getByRole('button', { name: 'Sign out Firefox on Linux from 127.0.0.1' }));
    await row.waitFor({ state: 'detached' });
    await panel(page, 'Sessions').getByText('Firefox on Linux from 127.0.0.1 was signed out.').waitFor();
    await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await other.context.close();
    await entries().first().filter({ hasText: 'Session ended' }).waitFor();
  });

  it('are listed up to the newest five, and all on request', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { body } = await session.daemon.request('POST', '/login-links');
      const { pathname, search } = new URL((body as LoginLink).url);
      expect((await fetch(session.daemon.url + pathname + search)).status).toBe(200);
    }
    await page.reload();
    await until('five are listed', async () => (await sessions().count()) === 5);
    await panel(page, 'Sessions').getByRole('button', { name: 'Show all' }).click();
    await until('all are listed', async () => (await sessions().count()) >= 6);
  });

  it('can all be ended after confirmation', async () => {
    const other = await session.enter();
    await other.page.goto(new URL('/settings', other.page.url()).href);
    await press(other.page.getByRole('button', { name: 'Sign out everywhere' }));
    const dialog = other.page.getByRole('dialog', { name: 'Sign out everywhere?' });
    await press(dialog.getByRole('button', { name: 'Sign out everywhere' }));
    await other.page.waitForURL(/\/sign-in$/);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await other.context.close();
    await page.context().close();
    await enter();
  });
}
