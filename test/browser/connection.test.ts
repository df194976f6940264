import type { Page } from 'playwright-core';
import type { Connection } from '../../src/contract/connection';
import type { Outage } from '../../src/contract/outage';
import type { Page as ListPage } from '../../src/contract/page';
import type { Target } from '../../src/contract/target';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import {
  openDashboard,
  accessibilityViolations,
  hasFocus,
  holdRequests,
  withLook,
  panel,
  press,
  show,
  waitUntilLive,
  waitUntilOpen,
} from '../support/browser/dashboard';
import { notify } from '../support/daemon/emit';
import { until } from '../support/until';
import { FakeCopilot, type FakeWebhook } from '../support/fakes/copilot';

const AXE_WITHIN_MS = 180_000;
/** Longer than Co-Pilot retries a notification, however its document is interpreted. */
const DOWNTIME_MS = 120_000;
/** Soon after a start the old webhook is kept for a while, so the rotation has only started. */
const ROTATED = /^(Rotated|Rotation started)\. /;

let session: BrowserSession;
let daemon: Daemon;
let upstream: FakeCopilot;
let page: Page;
let lastId = 0;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon, upstream } = session);
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

beforeEach(async () => {
  upstream.behave();
  // From another screen, so that nothing is left of the test before.
  await show(page, '/nowhere');
  await show(page, '/connection');
});

/** Sends a notification to a webhook, optionally signed for another one. @returns the response status */
async function send(to: FakeWebhook, signedFor: FakeWebhook = to): Promise<number> {
  lastId += 1;
  const timestamp = new Date().toISOString();
  const data = { id: lastId };
  const notification = { event: 'deal.updated', timestamp, webhook_id: signedFor.webhook_id, data };
  return (await notify(daemon, JSON.stringify(notification), to, signedFor)).status;
}

/** The webhook that was registered last. */
const newest = () => [...upstream.webhooks.values()].at(-1)!;

describe('the connection screen', () => {
  it('reconciles the subscription and shows each difference with its values before and after', async () => {
    daemon.webhook.events = ['deal.created'];
    const check = page.getByRole('button', { name: 'Check and repair now' });
    await press(check);
    await page.getByText('Checked. 1 change detected at Co-Pilot.').waitFor();
    expect(daemon.webhook.events).toHaveLength(10);
    const drift = panel(page, 'Changes detected at Co-Pilot').getByRole('listitem').first();
    await drift.filter({ hasText: 'Repaired' }).waitFor();
    expect(await drift.innerText()).toMatch(/was\s+.*agent\.triggered[\s\S]*found\s+deal\.created/);
    expect(await hasFocus(check)).toBe(true);
  });

  it('lists a webhook known only from notifications, and deletes it after confirmation', async () => {
    const [known] = upstream.webhooks.values();
    expect(await send(known!, { ...known!, webhook_id: 'wh_9' })).toBe(200);
    const deletions = () => upstream.on('DELETE /v1/webhooks/:id').map(({ path }) => path);
    await press(page.getByRole('button', { name: 'Delete webhook wh_9 at Co-Pilot' }));
    const dialog = page.getByRole('dialog', { name: 'Delete webhook wh_9?' });
    await press(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'hidden' });
    expect(deletions()).toEqual([]);
    await press(page.getByRole('button', { name: 'Delete webhook wh_9 at Co-Pilot' }));
    await press(dialog.getByRole('button', { name: 'Delete at Co-Pilot' }));
    await page.getByText('Deleted at Co-Pilot: wh_9.').waitFor();
    expect(deletions()).toEqual(['/v1/webhooks/wh_9']);
    expect(await page.getByRole('button', { name: /^Delete webhook/ }).count()).toBe(0);
  });

  it('says why a check failed, and keeps the focus on the button', async () => {
    upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500, body: {} });
    const check = page.getByRole('button', { name: 'Check and repair now' });
    await press(check);
    await page
      .getByText(/last check failed.*Co-Pilot responded with 500/)
      .first()
      .waitFor();
    await panel(page, 'Subscription').getByText('Webhook unverified').waitFor();
    expect(await hasFocus(check)).toBe(true);
    upstream.behave();
    await press(check);
    await page.getByText('Checked. The webhook at Co-Pilot is as expected.').waitFor();
  });

  it('shows that an action is in progress, and does not start it twice', async () => {
    let release: (() => void) | undefined;
    const response = new Promise<void>((resolve) => (release = resolve));
    upstream.watch('PATCH /v1/webhooks/:id', () => response);
    const check = page.getByRole('button', { name: 'Check and repair now' });
    let checkRequests = 0;
    page.on(
      'request',
      (request) => (checkRequests += Number(request.url().endsWith('/subscription/repair'))),
    );
    await press(check);
    await page.locator('button[aria-disabled=true]', { hasText: 'Check and repair now' }).waitFor();
    await press(check);
    release?.();
    await page.getByText('Checked. The webhook at Co-Pilot is as expected.').waitFor();
    expect(checkRequests).toBe(1);
  });

  it('pauses at Co-Pilot after a warning that suggests pausing targets, and resumes', async () => {
    const subscription = panel(page, 'Subscription');
    await press(page.getByRole('button', { name: 'Pause at Co-Pilot' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Events during the pause are lost permanently').waitFor();
    expect(await dialog.getByRole('link', { name: 'pause the targets' }).getAttribute('href')).toBe(
      '/targets',
    );
    expect(daemon.webhook.active).toBe(true);
    await press(dialog.getByRole('button', { name: 'Pause at Co-Pilot' }));
    await subscription.getByText('Pause saved.').waitFor();
    await subscription.getByText('Paused', { exact: true }).waitFor();
    expect(daemon.webhook.active).toBe(false);
    await dialog.waitFor({ state: 'detached' });
    const resume = page.getByRole('button', { name: 'Resume' });
    await until('the new button has the focus', () => hasFocus(resume));

    await show(page, '/');
    const attention = panel(page, 'What needs attention');
    await attention.getByText('Paused at Co-Pilot by the operator').waitFor();
    await press(attention.getByRole('button', { name: 'Resume' }));
    await page.getByText('Subscribed', { exact: true }).waitFor();
    await until('Co-Pilot sends again', () => daemon.webhook.active);
  });

  it('does nothing if the dialog is cancelled', async () => {
    await press(page.getByRole('button', { name: 'Pause at Co-Pilot' }));
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(daemon.webhook.active).toBe(true);
    const pause = page.getByRole('button', { name: 'Pause at Co-Pilot' });
    await until('the button has the focus again', () => hasFocus(pause));
  });

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
        const { y } = (await quarantine.boundingBox())!;
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

  it('lists foreign webhooks without changing them', async () => {
    const foreign = { ...upstream.addForeignWebhook('https://crm.example.com/hooks/secret-of-theirs') };
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page.getByText('1 other webhook at Co-Pilot').click();
    await page.getByText('https://crm.example.com/hooks/…').waitFor();
    expect(await page.content()).not.toContain('secret-of-theirs');
    expect(upstream.webhooks.get(foreign.webhook_id)).toEqual(foreign);
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
    await page.getByText(/matches Co.Pilot’s events only, not these/).waitFor();
    await page.getByLabel('Name').fill('watch');
    await page.getByLabel('Address').fill('http://127.0.0.1:9/');
    await page.getByLabel(/Also system events/).check();
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

  it.each(['light', 'dark'] as const)(
    'has no accessibility violations, including its dialogs and expanded parts (%s)',
    async (colorScheme) => {
      await withLook(page, { colorScheme }, async () => {
        await page.getByText('Changes detected at Co-Pilot').waitFor();
        await page.getByText(/Events may have been missed between/).waitFor();
        for (const summary of await page.locator('summary').all()) await summary.click();
        expect(await accessibilityViolations(page)).toEqual([]);
        for (const name of ['Disconnect', 'Rotate', 'Pause at Co-Pilot']) {
          await page.getByRole('button', { name }).click();
          await waitUntilOpen(page.getByRole('dialog'));
          expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        }
      });
    },
    AXE_WITHIN_MS,
  );

  it('says that Co-Pilot revoked the grant and what to do, also on the overview', async () => {
    upstream.revokeGrants();
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page.getByText('Consent needed', { exact: true }).waitFor();
    const remedy = 'Connect again and give consent at Co-Pilot.';
    await page.getByText(remedy).waitFor();
    await panel(page, 'Authorization')
      .getByText(/^Alert raised /)
      .waitFor();
    await page.locator('nav button [data-tone=bad]').waitFor({ state: 'attached' });
    await show(page, '/');
    const attention = panel(page, 'What needs attention');
    const issue = attention.getByText(/Co-Pilot no longer accepts the grant\./);
    await issue.getByText(remedy).waitFor();
    await issue.getByText(/^Critical, began /).waitFor();
    await attention.getByRole('link', { name: 'Connect' }).click();
    await page.waitForURL(/\/connection/);
    await page.getByText('Connected', { exact: true }).waitFor();
  });

  it('says that Co-Pilot does not respond instead of leading to an error page, and leads back', async () => {
    upstream.misbehave('HEAD /', 'drop_request');
    await page.getByRole('link', { name: 'Reconnect' }).click();
    await page.getByText(/^Co-Pilot does not respond at http/).waitFor();
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
});
