import type { Backups } from '../../../src/contract/backup';
import { panel, press, violationsInBothThemes, waitUntilOpen } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { backupDir, entries, page, session } from './hub';

export function panelsOfSettings(): void {
  it('shows the settings, of secrets only whether they are set, and the disk usage', async () => {
    const text = await panel(page, 'Configuration').innerText();
    expect(text).toContain(session.upstream.baseUrl);
    expect(text).toMatch(/Client secret\s+set/);
    // Only those that differ from the default have the name of their variable.
    expect(text).toMatch(/Initial targets\s+ready\s+SWITCHBOARD_TARGETS/);
    expect(text).toMatch(/Blocked networks\s+link-local, metadata, multicast, unspecified, reserved\n/);
    expect(text).not.toContain('SWITCHBOARD_TARGET_DENY');
    expect(text).toMatch(/Admin token\s+generated at first start/);
    expect(text).not.toContain(session.upstream.clientSecret);
    const storage = await panel(page, 'Retention and disk').innerText();
    expect(storage).toContain('Limit 500.0 MB');
    expect(storage).toMatch(/Events\s+kept for 30 days/);
    expect(storage).toMatch(
      /Last states of entities\s+kept for 365 days after the last change, also without its event, or less if space runs out/,
    );
    expect(await panel(page, 'Daemons').count()).toBe(0);
    expect(await panel(page, 'About').innerText()).toMatch(/Switchboard\s+\d+\.\d+\.\d+/);
  });

  it('shows the latest backup, and when the next one is made', async () => {
    const file = `${backupDir}/requested.db`;
    await session.daemon.request('POST', '/backups', { file });
    await until(
      'a backup is made',
      async () => (await session.daemon.get<Backups>('/backups')).run?.state === 'done',
    );
    await page.reload();
    await entries().first().waitFor();
    const text = await panel(page, 'Backups').innerText();
    expect(text).toMatch(/Latest\s+(just now|.* ago), \d.* kB/);
    expect(text).toMatch(/File\s+\S+\.db/);
    expect(text).toContain(`daily into ${backupDir}, 3 files kept`);
    expect(text).toMatch(/Next\s+\S/);
  });

  it('shows an error if the daemon does not respond, and recovers', async () => {
    await page.route('**/api/v1/{tokens,sessions,audit,settings,backups}**', (route) => route.abort());
    await page.reload();
    const alerts = page.getByRole('alert').filter({ hasText: 'Switchboard does not respond.' });
    await until('every panel says so', async () => (await alerts.count()) === 7);
    await page.unroute('**/api/v1/{tokens,sessions,audit,settings,backups}**');
    for (const name of ['API tokens', 'Sessions', 'Configuration', 'Backups', 'Audit log'])
      await panel(page, name).getByRole('button', { name: 'Try again' }).click();
    await entries().first().waitFor();
    await panel(page, 'Configuration').getByText('Client id').waitFor();
  });

  it('has no accessibility violations in either theme, including its dialogs', async () => {
    await page.getByRole('list', { name: 'Entries' }).getByRole('listitem').first().waitFor();
    await panel(page, 'Configuration').getByText('Client id').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    for (const button of ['Create token', 'Revoke Nightly export']) {
      await page.getByRole('button', { name: button }).click();
      await waitUntilOpen(page.getByRole('dialog'));
      expect(await violationsInBothThemes(page, '[role=dialog]')).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('has no horizontal overflow on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await entries().first().waitFor();
    await panel(page, 'Configuration').getByText('Client id').waitFor();
    await until('it is as wide as the phone', () =>
      page.evaluate(() => document.documentElement.scrollWidth === 390),
    );
    await press(page.getByRole('button', { name: 'Create token' }));
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.press('Escape');
  });
}
