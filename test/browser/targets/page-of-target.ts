import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import { panel, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, daemon, notify, page, receiver, targetNamed } from './hub';

const undo = (text: string) =>
  page.getByRole('alert').filter({ hasText: text }).getByRole('button', { name: 'Undo' });

/** Waits until the page of a target says that everything is delivered. */
const untilDelivered = () =>
  until('nothing is queued', async () =>
    /Queued\s+0\s+In flight\s+0\s/.test(await panel(page, 'Status').innerText()),
  );

export function pageOfTarget(): void {
  it('says which manifest manages it, and that this sets changes back', async () => {
    const targets = [{ name: 'from a file', url: receiver.url, events: ['never'] }];
    await daemon.request('POST', '/manifests/prod/apply', { targets });
    await show(page, `/targets/${(await targetNamed('from a file')).id}`);
    await page.getByText('Manifest prod').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await panel(page, 'Edit').getByText('The next apply overwrites changes made here.').waitFor();
  });

  it('counts the same failures in its status as in its errors', async () => {
    const { id } = await addTarget({ name: 'shop', url: receiver.url });
    // As if more had failed since its health was read.
    await page.route(/\/errors\?/, async (route) => {
      const response = await route.fetch();
      const data = [{ error: '500', attempts: 3, latest_at: new Date().toISOString() }];
      await route.fulfill({ response, json: { ...(await response.json()), attempts: 4, data } });
    });
    await show(page, `/targets/${id}`);
    await panel(page, 'Errors').getByText('Last hour: 3 of 4 attempts failed.').waitFor();
    await panel(page, 'Status').getByText('25.0%').waitFor();
    await page.unrouteAll();
  });

  it('says that a dead letter blocks later deliveries, and leads to it', async () => {
    receiver.respondWith(400);
    const { id } = await addTarget({
      name: 'ordered shop',
      url: receiver.url,
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] }, breaker: null },
    });
    await notify(1);
    await notify(2);
    const blocked = 'Blocked by 1 dead letter: Review';
    await show(page, '/targets');
    await page
      .getByRole('row', { name: /ordered shop/ })
      .getByText(blocked)
      .waitFor();
    await show(page, `/targets/${id}`);
    await panel(page, 'Status').getByText(blocked).waitFor();
    await panel(page, 'Status').getByRole('link', { name: 'Review' }).click();
    await page.getByText(/It blocks its lane: later deliveries are queued/).waitFor();
    expect(page.url()).toContain(`/failures?target=${id}`);

    const [waiting, dead] = (await daemon.get<ListPage<EventSummary>>('/events?type=deal.*&limit=2')).data;
    await show(page, `/events/${waiting!.id}`);
    await page.getByRole('link', { name: dead!.id }).click();
    await page.getByText('Later deliveries in its lane are blocked.').waitFor();
    await show(page, '/');
    await page
      .getByText(/Fix the receiver, .*\. Deliveries behind it are blocked\./)
      .first()
      .waitFor();
  });

  it('counts its dead letters, which a deletion ends: they cannot be retried, and their events do not count as failed', async () => {
    receiver.respondWith(400);
    const { id } = await addTarget({
      name: 'old importer',
      url: receiver.url,
      policy: { retry: { delays_s: [] }, breaker: null },
    });
    await notify(1);
    await show(page, `/targets/${id}`);
    await panel(page, 'Status').getByText('1 dead letter to retry or discard: Review').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 dead letter can no longer be retried').waitFor();
    await dialog.getByRole('button', { name: 'Delete target' }).click();
    await page.waitForURL(/\/targets$/);
    const [event] = (await daemon.get<ListPage<EventSummary>>('/events?type=deal.*&limit=1')).data;
    await show(page, `/events/${event!.id}`);
    await panel(page, 'Deliveries').getByText('Deleted', { exact: true }).waitFor();
    expect(event).toMatchObject({ status: 'cancelled' });
    const retry = page.getByRole('button', { name: 'Retry delivery to old importer' });
    expect(await retry.getAttribute('aria-disabled')).toBe('true');
  });

  it('shows why the target is down, its backlog and next probe, and its recovery', async () => {
    receiver.respondWith(503);
    const { id } = await addTarget({
      name: 'warehouse',
      url: receiver.url,
      policy: { breaker: { failures: 1, first_probe_s: 2, cap_s: 2 } },
    });
    await show(page, `/targets/${id}`);
    await page.getByText('Ready. No event was sent to it yet.').waitFor();
    await notify(1);
    await notify(2);
    const state = panel(page, 'Status');
    await state.getByText(/Down: circuit breaker opened/).waitFor();
    await state.getByText(/HTTP 503\. 2 deliveries queued; retries are on hold/).waitFor();
    await state.getByText(/[1-9]\d* probes? failed so far; next probe/).waitFor();
    await panel(page, 'Errors').getByText('HTTP 503').waitFor();
    await show(page, '/targets');
    await page.getByText('Down', { exact: true }).waitFor();
    await page.getByText(/Went down .*: HTTP 503; next probe/).waitFor();
    await page.getByRole('link', { name: 'warehouse' }).click();
    receiver.respondWith(200);
    await untilDelivered();
    await page.getByText('Active', { exact: true }).waitFor();
  });

  it('shows a pause, queues deliveries meanwhile, and sends them on resume', async () => {
    receiver.respondWith(200);
    const { id } = await addTarget({ name: 'old shop', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('0 deliveries queued. New events wait until it is resumed.').waitFor();
    expect((await targetNamed('old shop')).paused).not.toBeNull();
    await notify(1);
    await page.getByText(/^1 delivery queued/).waitFor();
    await notify(2);
    await page.getByText(/2 deliveries queued/).waitFor();
    await page.getByRole('button', { name: /^Resume/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Resume old shop?' });
    await dialog.getByText('old shop: 2 queued').waitFor();
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
    await untilDelivered();
  });

  it('shows that the target is gone, and receives events again once enabled', async () => {
    receiver.respondWith(410);
    const { id } = await addTarget({ name: 'closed shop', url: receiver.url });
    await show(page, `/targets/${id}`);
    await notify(1);
    const state = panel(page, 'Status');
    await state.getByText(/HTTP 410 Gone\. It receives no new events/).waitFor();
    await show(page, '/targets');
    await page.getByText('Gone', { exact: true }).waitFor();
    await page.getByText(/Disabled .*: HTTP 410 Gone/).waitFor();
    await show(page, '/');
    await page.getByText(/^closed shop gone · /).waitFor();
    const attention = page.getByRole('region', { name: 'What needs attention' });
    await attention.getByRole('button', { name: 'Enable' }).waitFor();
    await show(page, `/targets/${id}`);
    expect(await page.getByRole('button', { name: /^Pause/ }).count()).toBe(0);
    expect((await targetNamed('closed shop')).warnings).toEqual([]);
    receiver.respondWith(200);
    await state.getByRole('button', { name: 'Enable' }).click();
    await state.getByText('Receiving and delivering events.').waitFor();
    expect(await targetNamed('closed shop')).toMatchObject({ enabled: true, disabled: null });
    await page
      .getByRole('alert')
      .filter({ hasText: /^Enabled closed shop\. It missed what arrived since 20/ })
      .getByRole('button', { name: 'Replay it' })
      .click();
    await page.waitForURL(new RegExp(`/replays/new\\?.*to=${id}`));
    await notify(2);
    await until('it is delivered', async () => (await targetNamed('closed shop')).backlog.open === 0);
    await show(page, '/');
    await attention.getByText(/^closed shop responds again · 1 dead letter/).waitFor();
    await attention.getByRole('button', { name: 'Retry 1' }).waitFor();
  });

  it('asks before the target is disabled', async () => {
    const { id } = await addTarget({ name: 'ledger', url: receiver.url });
    await show(page, `/targets/${id}`);
    const disable = page.getByRole('button', { name: 'Disable' });
    await disable.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('are never sent').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await targetNamed('ledger')).enabled).toBe(true);
    await disable.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    const warning = panel(page, 'Status').getByText(/^The target is disabled\. .* are never sent;/);
    await warning.waitFor();
    expect(await panel(page, 'Status').getByText('are never sent').count()).toBe(1);
    expect((await targetNamed('ledger')).enabled).toBe(false);
    await page.getByRole('button', { name: 'Enable' }).click();
    await disable.waitFor();
    expect((await targetNamed('ledger')).enabled).toBe(true);
    await page.getByText(/^Enabled ledger\. It missed what arrived since 20/).waitFor();
    await page.getByText('Disabled ledger').waitFor({ state: 'detached' });
  });

  it('undoes a disabling from its notification, and a pause by the key that this names', async () => {
    const { id } = await addTarget({ name: 'undone', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await undo('Disabled undone').click();
    await until('it is enabled', async () => (await targetNamed('undone')).enabled);
    await page.getByRole('button', { name: /^Pause undone/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    // The focus is back at the button that was pressed, far from the notification.
    await undo('Paused undone').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await until('it is resumed', async () => (await targetNamed('undone')).paused === null);
  });

  it('explains strict order beside the order, not as a warning', async () => {
    const policy = { ordering: 'strict' };
    const { id } = await addTarget({ name: 'in order', url: receiver.url, policy });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'About: Order' }).click();
    await page.getByText('The ordering is strict').waitFor();
    expect(await page.getByRole('list', { name: 'Warnings' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('rotates the secret, which is shown once, and signs with both for a while', async () => {
    const { id, secret: before } = await addTarget({ name: 'signed', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByLabel('Keep the old secret valid for').selectOption('1 hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const secret = await page.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(before);
    await page.getByText(/The old secret stays valid until .* \(in (1 h|59 min)/).waitFor();
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await notify(1);
    await until('an event arrives', () => receiver.hits.length > 0);
    expect(String(receiver.hits[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });
}
