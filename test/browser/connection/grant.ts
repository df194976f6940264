import type { Connection } from '../../../src/contract/connection';
import {
  accessibilityViolations,
  panel,
  prefer,
  press,
  show,
  waitUntilLive,
} from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page, upstream } from './hub';

/** Replaces the notifications of the browser, which allows none without a window. */
const recordAlerts = () =>
  page.evaluate(() => {
    const shown: string[] = [];
    class Recorded extends EventTarget {
      static readonly permission = 'granted';
      static readonly requestPermission = () => Promise.resolve('granted');
      constructor(title: string) {
        super();
        shown.push(title);
      }
    }
    Object.assign(globalThis, { Notification: Recorded, shownAlerts: shown });
  });

const alerts = () => page.evaluate(() => (globalThis as unknown as { shownAlerts: string[] }).shownAlerts);

export function grant(): void {
  it('says that Co-Pilot revoked the grant and what to do, also on the overview', async () => {
    await recordAlerts();
    await prefer(page, 'On');
    upstream.grants.revoke();
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page.getByText('Consent needed', { exact: true }).waitFor();
    const remedy = /^Connect again\. Until then events still arrive/;
    await page.getByText(remedy).waitFor();
    await panel(page, 'Authorization')
      .getByText(/^Alert raised /)
      .waitFor();
    await page.locator('nav button [data-tone=bad]').waitFor({ state: 'attached' });
    await until('the tab counts it', async () => (await page.title()).startsWith('(1) Connection · '));
    await page.locator('link[rel=icon][href="/favicon-alert.svg"]').waitFor({ state: 'attached' });
    expect(await alerts()).toEqual([expect.stringContaining('Co-Pilot no longer accepts the authorization')]);
    await prefer(page, 'Off');
    await show(page, '/');
    const attention = panel(page, 'What needs attention');
    const issue = attention.getByText(/Co-Pilot no longer accepts the authorization/);
    await issue.getByText(remedy).waitFor();
    await issue.getByText(/Critical · for /).waitFor();
    await attention.getByRole('link', { name: 'Connect' }).click();
    await page.waitForURL(/\/connection/);
    await page.getByText('Connected', { exact: true }).waitFor();
  });

  it('says that Co-Pilot does not respond instead of leading to an error page, and leads back', async () => {
    upstream.misbehave('HEAD /', 'drop_request');
    await page.getByRole('link', { name: 'Reconnect' }).click();
    await page.getByText(/^Co-Pilot does not respond at http/).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityViolations(page)).toEqual([]);
    }
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Co-Pilot could not be opened' }).waitFor();
    upstream.behave();
    await page.getByRole('link', { name: 'Back to the dashboard' }).click();
    await page.getByRole('heading', { name: 'Connection', level: 1 }).waitFor();
    await waitUntilLive(page);
  });

  it('disconnects, offers to force it only if Co-Pilot keeps the webhook, and reconnects', async () => {
    const disconnect = page.getByRole('button', { name: 'Disconnect' });
    const dialog = page.getByRole('dialog');
    const forced = dialog.getByRole('button', { name: 'Delete tokens anyway' });
    upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500, body: {} });
    await press(disconnect);
    await dialog.getByText('Events are lost until you reconnect').waitFor();
    expect(await forced.count()).toBe(0);
    await press(dialog.getByRole('button', { name: 'Disconnect' }));
    await forced.waitFor();
    const kept = await daemon.get<Connection>('/connection');
    expect(kept.state).toBe('connected');

    upstream.behave();
    await press(dialog.getByRole('button', { name: 'Disconnect' }));
    await page.getByText(/^Disconnected\. The webhook was deleted/).waitFor();
    await page.getByText('Not connected', { exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await until('the outcome has the focus', () =>
      page.evaluate(() => document.activeElement?.textContent?.startsWith('Disconnected.') ?? false),
    );
    const { port } = new URL(daemon.url);
    expect([...upstream.webhooks.values()].filter(({ url }) => new URL(url).port === port)).toEqual([]);

    await page.getByRole('link', { name: 'Connect to Co-Pilot' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText('Subscribed', { exact: true }).waitFor();
  });

  it('deletes the tokens when forced, and says that the webhook still exists', async () => {
    upstream.misbehave('DELETE /v1/webhooks/:id', { status: 500, body: {} });
    await press(page.getByRole('button', { name: 'Disconnect' }));
    const dialog = page.getByRole('dialog');
    await press(dialog.getByRole('button', { name: 'Disconnect' }));
    await press(dialog.getByRole('button', { name: 'Delete tokens anyway' }));
    await page.getByText(/the webhook still exists at Co-Pilot/).waitFor();
    const { state } = await daemon.get<Connection>('/connection');
    expect(state).toBe('not_connected');
  });
}
