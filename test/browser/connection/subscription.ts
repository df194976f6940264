import { hasFocus, panel, press, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page, send, upstream } from './hub';

const deletions = () => upstream.on('DELETE /v1/webhooks/:id').map(({ path }) => path);

export function subscriptionPanel(): void {
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

  it('says once why a check failed, and keeps the focus on the button', async () => {
    upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500, body: {} });
    const check = page.getByRole('button', { name: 'Check and repair now' });
    await press(check);
    await page.locator('[data-tone=warn]').getByText('The check failed for the reason above.').waitFor();
    const subscription = panel(page, 'Subscription');
    await subscription.getByText('Webhook unverified').waitFor();
    expect(await subscription.getByText(/Co-Pilot responded with 500/).count()).toBe(1);
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

  it('lists foreign webhooks without changing them', async () => {
    const foreign = { ...upstream.addForeignWebhook('https://crm.example.com/hooks/secret-of-theirs') };
    await press(page.getByRole('button', { name: 'Check and repair now' }));
    await page.getByText('1 other webhook at Co-Pilot').click();
    await page.getByText('https://crm.example.com/hooks/…').waitFor();
    expect(await page.content()).not.toContain('secret-of-theirs');
    expect(upstream.webhooks.get(foreign.webhook_id)).toEqual(foreign);
  });
}
