import type { ServerResponse } from 'node:http';
import type { Snoozes } from '../../../src/contract/snooze';
import { show, violationsInBothThemes } from '../../support/browser/dashboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { attention, card, daemon, headline, metrics, notify, orders, ordersId, page, target } from './hub';

export function attentionPanel(): void {
  it('shows a paused target, and resumes it', async () => {
    await card('orders')
      .getByRole('button', { name: /^Pause/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await headline('One thing needs attention');
    await attention()
      .getByText(/^orders paused/)
      .waitFor();
    await card('orders').getByText('Paused', { exact: true }).waitFor();
    expect((await target(ordersId)).paused).not.toBeNull();
    await attention().getByRole('button', { name: 'Resume' }).click();
    await headline('All systems operational');
    expect((await target(ordersId)).paused).toBeNull();
  });

  it('hides a deliberate pause for as long as it lasts, for every operator, and no later pause', async () => {
    await daemon.request('POST', `/targets/${ordersId}/pause`);
    await attention()
      .getByText(/^orders paused/)
      .waitFor();
    await attention().getByRole('button', { name: 'Acknowledge: orders' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Your name' }).fill('Ada');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Until Monday');
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await headline('Nothing else needs attention');
    expect(
      await attention()
        .getByText(/^orders paused/)
        .count(),
    ).toBe(0);
    const { data } = await daemon.get<Snoozes>('/snoozes');
    expect(data).toMatchObject([
      {
        issue: expect.stringContaining(`target.paused:${ordersId}:`),
        until: null,
        operator: 'Ada',
        note: 'Until Monday',
      },
    ]);
    await page.reload();
    await attention().getByRole('button', { name: '1 acknowledged' }).click();
    await attention()
      .getByText(/^Acknowledged by Ada .*: “Until Monday”$/)
      .waitFor();
    await attention().getByRole('button', { name: 'Show again: orders' }).click();
    await headline('One thing needs attention');
    // Another client acknowledges it.
    await daemon.request('POST', '/snoozes', { issue: data[0]!.issue, until: null });
    await headline('Nothing else needs attention');
    await daemon.request('POST', `/targets/${ordersId}/resume`);
    await headline('All systems operational');
    await daemon.request('POST', `/targets/${ordersId}/pause`);
    await headline('One thing needs attention');
    await daemon.request('POST', `/targets/${ordersId}/resume`);
    await headline('All systems operational');
  });

  it('asks for a note and an end once what was deliberate has become critical', async () => {
    const held: ServerResponse[] = [];
    const strict = await RecordingTarget.start();
    strict.respondWith((response) => void held.push(response));
    const policy = { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] }, breaker: null };
    const { id } = await daemon.addTarget('strict', strict.url, { policy });
    await notify('Refused while paused');
    await until('it is being sent', () => held.length === 1);
    await daemon.request('POST', `/targets/${id}/pause`);
    await attention()
      .getByText(/^strict paused/)
      .waitFor();
    held[0]!.writeHead(404).end();
    await attention().getByText('Fix the receiver, then retry').first().waitFor();
    await attention().getByRole('button', { name: 'Acknowledge: strict' }).click();
    const dialog = page.getByRole('dialog');
    const selected = dialog.getByRole('combobox', { name: 'For' }).locator('option:checked');
    expect(await selected.innerText()).toBe('1 hour');
    await dialog.getByRole('textbox', { name: 'Note', exact: true }).fill('Being fixed');
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await headline('Nothing else needs attention');
    const { data } = await daemon.get<Snoozes>('/snoozes');
    const ends = data.filter(({ note }) => note === 'Being fixed').map(({ until: end }) => end);
    expect(ends).toEqual([expect.any(String), expect.any(String)]);
    await daemon.request('DELETE', `/targets/${id}`);
    await headline('All systems operational');
    await strict.close();
  });

  it('shows which target is down, and its recovery', async () => {
    orders.respondWith(503);
    for (let n = 0; n < 6; n += 1) await notify(`Storm ${n}`);
    const row = attention().getByText(/^orders down · HTTP 503 · next probe (in \d+ s|now) · /);
    await row.waitFor();
    // A number stays beside its unit.
    expect(await row.textContent()).not.toMatch(/\d (s|min)\b/);
    await card('orders').getByText('Down', { exact: true }).waitFor();
    // The card repeats only the state.
    expect(await card('orders').innerText()).not.toMatch(/probe|HTTP/);
    await attention().getByText('0 of 1 target active').waitFor();
    await card('orders')
      .getByText(/failed attempts/)
      .waitFor();
    orders.respondWith(200);
    await headline('All systems operational');
  });

  it('reports dead letters immediately, and recovers once they are retried', async () => {
    const strict = await RecordingTarget.start(404);
    const policy = { retry: { delays_s: [] }, breaker: null };
    const { id } = await daemon.addTarget('strict', strict.url, { policy });
    await notify('Rejected');
    await headline('One thing needs attention');
    await attention()
      .getByText(/^strict .*1 dead letter/)
      .waitFor();
    await attention().getByText('Fix the receiver, then retry').first().click();
    await attention().getByText('Deliveries to strict became dead letters: HTTP 404').waitFor();
    await page.getByRole('link', { name: 'Failures, 1 dead letter' }).waitFor();
    await metrics().getByRole('link', { name: '1 dead letter' }).waitFor();
    await notify('Rejected again');
    await attention()
      .getByText(/^strict .*2 dead letters/)
      .waitFor();
    strict.respondWith(200);
    await daemon.request('POST', '/deliveries/retry', { target: id });
    await headline('All systems operational');
    await metrics().getByText('no dead letters').waitFor();
    await daemon.request('DELETE', `/targets/${id}`);
    await strict.close();
  });

  it('has no accessibility violations in either theme, with and without issues', async () => {
    await daemon.request('POST', `/targets/${ordersId}/pause`);
    await show(page, '/?range=24h');
    await attention()
      .getByText(/^orders paused/)
      .waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.locator('canvas').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await daemon.request('POST', `/targets/${ordersId}/resume`);
    await headline('All systems operational');
    expect(await violationsInBothThemes(page)).toEqual([]);
  });
}
