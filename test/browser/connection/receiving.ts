import type { Outage } from '../../../src/contract/outage';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Target } from '../../../src/contract/target';
import {
  hasFocus,
  openDashboard,
  panel,
  press,
  show,
  violationsInBothThemes,
  waitUntilOpen,
} from '../../support/browser/dashboard';
import { Daemon } from '../../support/daemon/daemon';
import { until } from '../../support/until';
import { daemon, page, session, upstream } from './hub';

/** Longer than Co-Pilot retries a notification, however its document is interpreted. */
const DOWNTIME_MS = 120_000;

export function receiving(): void {
  it('tests whether the webhook address is reachable', async () => {
    const reachability = panel(page, 'Public reachability');
    const startedAt = new Date().toISOString();
    const test = reachability.getByRole('button', { name: 'Test now' });
    await press(test);
    await reachability.getByText('Reachable', { exact: true }).waitFor();
    await until('the check has run', async () => {
      const { reachability: check } = await daemon.get<{ reachability: { at: string } | null }>(
        '/subscription',
      );
      return check !== null && check.at > startedAt;
    });
    expect(await hasFocus(test)).toBe(true);
  });

  it('says why the webhook address is not reachable, also on the overview', async () => {
    const environment = { PUBLIC_URL: 'http://localhost:9' };
    const unreachable = await Daemon.startConnected({ upstream, environment });
    try {
      const { page: second } = await openDashboard(session.browser, unreachable);
      await panel(second, 'What needs attention').getByText('localhost:9 refuses connections').waitFor();
      await show(second, '/connection');
      await panel(second, 'Subscription').getByText('none since startup').waitFor();
      const proof = panel(second, 'Public reachability');
      await proof.getByText('Not reachable', { exact: true }).waitFor();
      await proof.getByText('Check that the tunnel or the reverse proxy is running').waitFor();
    } finally {
      await unreachable.close();
      for (const [id, { url }] of upstream.webhooks)
        if (url.startsWith(environment.PUBLIC_URL)) upstream.webhooks.delete(id);
    }
  });

  it('distinguishes system events from events of Co-Pilot', async () => {
    await show(page, '/live?type=relay.*');
    const row = page.getByRole('link').filter({ hasText: 'relay.subscription.' }).first();
    await row.filter({ hasText: 'Switchboard' }).waitFor();
    await row.click();
    await page.getByText('system event', { exact: true }).waitFor();
    await page.getByText('system event, created by Switchboard and not signed').waitFor();
  });

  it('lets a target select system events explicitly, since * does not match them', async () => {
    await show(page, '/targets/new');
    await page.getByLabel('Name').fill('watch');
    await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/');
    await page.getByLabel(/Also send Switchboard’s own events/).check();
    await page.locator('form [type=submit]').click();
    await page.locator('[data-secret]').waitFor();
    const { data } = await daemon.get<ListPage<Target>>('/targets');
    expect(data.find(({ name }) => name === 'watch')?.events).toEqual(['*', 'relay.*']);
  });

  it('shows when events may have been missed, until the outage is dismissed', async () => {
    await daemon.stop();
    daemon.alterDatabase(`UPDATE heartbeat SET at = at - ${DOWNTIME_MS}`);
    await daemon.restart();
    await show(page, '/');
    const attention = panel(page, 'What needs attention');
    const issue = attention.getByText(/Events may have been missed between/);
    const more = attention.getByRole('button', { name: /more$/ });
    await until('it is among what needs attention', async () => {
      if ((await issue.count()) > 0) return true;
      if ((await more.count()) > 0) await more.click();
      return false;
    });
    await show(page, '/connection');
    const row = panel(page, 'Events that may have been missed').getByRole('listitem').first();
    // The daemon writes times in UTC; the page shows them in the local time zone.
    expect(await row.innerText()).not.toMatch(/\dT\d.*Z/);
    await press(row.getByRole('button', { name: /^Dismiss/ }));
    await row.getByText(/^dismissed/).waitFor();
    expect(await hasFocus(row)).toBe(true);
    const { data } = await daemon.get<ListPage<Outage>>('/outages');
    expect(data[0]?.dismissed_at).not.toBeNull();
    await show(page, '/');
    await attention.waitFor();
    expect(await attention.getByText(/^Events may have been missed/).count()).toBe(0);
  });

  it('has no accessibility violations in either theme, including its dialogs and expanded parts', async () => {
    await page.getByText('Changes detected at Co-Pilot').waitFor();
    await page.getByText(/Events may have been missed between/).waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await violationsInBothThemes(page)).toEqual([]);
    for (const name of ['Disconnect', 'Rotate', 'Pause at Co-Pilot']) {
      await page.getByRole('button', { name }).click();
      await waitUntilOpen(page.getByRole('dialog'));
      expect(await violationsInBothThemes(page, '[role=dialog]')).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
}
