import { holdRequests, panel, placeOf, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, daemon, notify, page, receiver, targetNamed } from './hub';

const MINUTE_MS = 60_000;

export function historyOfTarget(): void {
  it('groups errors, and filters the deliveries by them with a shareable URL', async () => {
    const { id } = await addTarget({
      name: 'picky',
      url: receiver.url,
      policy: { retry: { delays_s: [600] } },
    });
    await notify(1);
    await until('one is delivered', () => receiver.hits.length === 1);
    receiver.respondWith(404);
    await notify(2);
    await notify(3);
    await until('two are rejected', () => receiver.hits.length === 3);
    await show(page, `/targets/${id}`);
    const rows = panel(page, 'Latest deliveries').getByRole('listitem');
    const notFound = panel(page, 'Errors').getByRole('link').filter({ hasText: 'HTTP 404' });
    await notFound.filter({ hasText: /404\s*2/ }).waitFor();
    await panel(page, 'Errors').getByText('Last hour: 2 of 3 attempts failed.').waitFor();
    await until('all are listed', async () => (await rows.count()) === 3);
    await notFound.click();
    await until('two are left', async () => (await rows.count()) === 2);
    expect(new URL(page.url()).search).toBe('?error=404');
    await show(page, `/targets/${id}?status=succeeded`);
    await rows.filter({ hasText: 'Delivered' }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.getByLabel('Status', { exact: true }).last().inputValue()).toBe('succeeded');
    await page.getByRole('textbox', { name: 'Event type' }).fill('task.*');
    await page.keyboard.press('Enter');
    await page.getByText('No deliveries match').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await until('all are listed again', async () => (await rows.count()) === 3);
  });

  it('counts errors over the chosen time, including those of deliveries that succeeded since', async () => {
    const { id } = await addTarget({
      name: 'recovered',
      url: receiver.url,
      policy: { retry: { delays_s: [3] } },
    });
    const errors = panel(page, 'Errors');
    await show(page, `/targets/${id}`);
    await errors.getByText('Last hour: no attempts.').waitFor();
    receiver.respondWith(404);
    await notify(1);
    await until('it is rejected', () => receiver.hits.length === 1);
    receiver.respondWith(200);
    await errors.getByText('Last hour: 1 of 2 attempts failed.').waitFor();
    await panel(page, 'Traffic').getByRole('button', { name: 'Time range: Last hour' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Last 7 days' }).click();
    await errors.getByText('Last 7 days: 1 of 2 attempts failed.').waitFor();
    await errors.getByRole('link', { name: 'HTTP 404' }).click();
    await page.getByText(/have since succeeded/).waitFor();
    expect(new URL(page.url()).search).toBe('?error=404&range=7d');
    await page.getByRole('link', { name: 'Show all' }).click();
    await panel(page, 'Latest deliveries').getByRole('listitem').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('draws attempts, latency, backlog and changes; a selected range narrows the deliveries', async () => {
    const { id } = await addTarget({ name: 'drawn', url: receiver.url, events: ['deal.*'] });
    for (const events of [['*'], ['deal.*']]) await daemon.request('PATCH', `/targets/${id}`, { events });
    await notify(1);
    await until('it is delivered', async () => (await targetNamed('drawn')).health.attempts === 1);
    await daemon.request('POST', `/targets/${id}/pause`);
    await show(page, `/targets/${id}`);
    const traffic = panel(page, 'Traffic');
    await traffic.getByRole('figure', { name: 'Last hour: 1 delivered, 0 failed attempts' }).waitFor();
    await traffic.getByRole('figure', { name: /^Latency: [\d.]+ m?s \(p50\)/ }).waitFor();
    await traffic.getByRole('figure', { name: 'Backlog: 0' }).waitFor();
    const changes = traffic.getByRole('list', { name: 'Changes of this target' });
    await changes.getByText('Target paused').waitFor();
    expect(await changes.getByText('Target updated: events').count()).toBe(1);
    const rows = panel(page, 'Latest deliveries').getByRole('listitem');
    await rows.filter({ hasText: /Deal \d+/ }).waitFor();
    const plot = await placeOf(traffic.locator('.u-over').first());
    await page.mouse.move(plot.x + plot.width * 0.1, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.4, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    await page.getByText('No deliveries match').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await rows.filter({ hasText: /Deal \d+/ }).waitFor();
  });

  it('marks the changes on its charts, also if they are known only after these are drawn', async () => {
    const { id } = await addTarget({ name: 'marked', url: receiver.url });
    await daemon.request('POST', `/targets/${id}/pause`);
    const [from, to] = [-MINUTE_MS, MINUTE_MS].map((ms) => new Date(Date.now() + ms).toISOString());
    const release = await holdRequests(page, /\/api\/v1\/audit\?/);
    // The lines of a range that ends now would be drawn again by themselves.
    await show(page, `/targets/${id}?since=${from}&until=${to}`);
    const traffic = panel(page, 'Traffic');
    const canvas = traffic.locator('canvas').first();
    const drawing = () => canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL());
    await canvas.waitFor();
    const before = await drawing();
    await release();
    await traffic.getByRole('list', { name: 'Changes of this target' }).getByText('Target paused').waitFor();
    await until('they are drawn', async () => (await drawing()) !== before);
  });
}
