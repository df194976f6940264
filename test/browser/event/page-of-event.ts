import { PAGE_OPTIONS } from '../../support/browser/browser';
import {
  accessibilityViolations,
  focusIsOnPage,
  horizontalOverflow,
  panel,
  placeOf,
  press,
  show,
} from '../../support/browser/dashboard';
import { emit, notify } from '../../support/daemon/emit';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { copied, daemon, inOneLine, open, page, send, session, target } from './hub';

const top = async (name: string) => (await placeOf(panel(page, name))).y;

export function pageOfEvent(): void {
  it('shows each attempt with the start of its response; r replays the event, c copies it as curl', async () => {
    const id = await emit(daemon, 'deal.updated', { id: 8, name: "O'Hara" });
    await open(id);
    await page.getByText('HTTP 200', { exact: true }).click();
    await page.getByText('{"accepted":true}').waitFor();
    await page.locator('button:enabled', { hasText: 'Copy as curl' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const curl = await copied();
    expect(curl).toContain(`curl -X POST '${target.url}`);
    expect(curl).toContain(String.raw`O'\''Hara`);
    const before = target.hits.length;
    await page.keyboard.press('r');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay to 1 target' }).click();
    await until('the replay reaches the target', () => target.hits.length > before);
    await panel(page, 'Deliveries').getByText('1 of 1 target delivered').waitFor();
    const runs = panel(page, 'Deliveries').getByRole('list', { name: 'Deliveries to orders, newest first' });
    await until('the newest is first', async () => {
      const texts = await runs.locator('> li').allInnerTexts();
      return texts.length === 2 && texts[0]!.includes('Replay') && texts[1]!.includes('Live');
    });
  });

  it('says first what became of the event, why it is queued, and which rule excluded a target', async () => {
    const erp = session.closeLater(
      await RecordingTarget.start((response) => response.writeHead(500).end("no column 'status_id'")),
    );
    const events = ['deal.lost'];
    const policy = { retry: { delays_s: [0.1] }, breaker: null };
    const targets = [
      await daemon.addTarget('erp', erp.url, { events, policy }),
      await daemon.addTarget('held', target.url, { events }),
      await daemon.addTarget('big deals', target.url, { events, filter: { 'data.price': { $gte: 10_000 } } }),
    ];
    await daemon.request('POST', `/targets/${targets[1]!.id}/pause`);
    const id = await emit(daemon, 'deal.lost', { id: 11, price: 300 });
    await open(id);
    await page
      .getByText(
        /^Failed at erp \(HTTP 500, 2 attempts\)\. Queued for held \(while .*\)\. Delivered to orders\.$/,
      )
      .waitFor();
    const deliveries = panel(page, 'Deliveries');
    await deliveries.getByText('Queued while the target is paused.', { exact: true }).waitFor();

    const excluded = deliveries.getByText('data.price must be at least 10000, but it is 300');
    expect(await excluded.isVisible()).toBe(false);
    await press(deliveries.locator('summary', { hasText: 'Not sent to 1 target' }));
    await excluded.waitFor();

    await press(deliveries.locator('summary', { hasText: 'attempt 2' }));
    await deliveries.getByText("no column 'status_id'").nth(1).waitFor();
    const attempt = deliveries.locator('details[open]', { hasText: 'attempt 2' });
    expect(inOneLine([await attempt.innerText()])[0]).toContain('switchboard-attempt 2');
    expect(await attempt.innerText()).toContain(`POST ${erp.url}`);
    expect(await accessibilityViolations(page, '#main')).toEqual([]);

    // On a phone too, the answer comes before the payload.
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await top('Deliveries')).toBeLessThan(await top('Payload'));
    expect(await horizontalOverflow(page)).toBe(0);
    await page.setViewportSize(PAGE_OPTIONS.viewport);
    for (const added of targets) await daemon.request('DELETE', `/targets/${added.id}`);
  });

  it('resends an edited payload, marked as edited', async () => {
    await open(await send('{"id":9,"budget":9007199254740993}'));
    await page.keyboard.press('e');
    const text = page.getByRole('dialog').getByLabel('Payload');
    expect(await text.inputValue()).toContain('"budget": 9007199254740993');
    await text.fill('{"edited":"manually"}');
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 target' }).click();
    await until('it reaches the target', () => target.hits.at(-1)?.headers['switchboard-edited'] === 'true');
    expect(String(target.hits.at(-1)?.body)).toBe('{"edited":"manually"}');
    await panel(page, 'Deliveries').getByText('Edited', { exact: true }).waitFor();
  });

  it('cuts a long name instead of overflowing', async () => {
    await open(await emit(daemon, 'deal.updated', { id: 12, name: 'x'.repeat(600) }));
    const name = page.getByRole('main').locator('bdi', { hasText: 'xxx' }).first();
    const { x, width, height } = await placeOf(name);
    expect(x + width).toBeLessThanOrEqual(PAGE_OPTIONS.viewport.width);
    expect(height).toBeLessThan(80);
    expect(await horizontalOverflow(page)).toBe(0);
  });

  it('shows duplicates', async () => {
    const { webhook_id } = daemon.webhook;
    const timestamp = new Date().toISOString();
    const text = JSON.stringify({ event: 'deal.updated', timestamp, webhook_id, data: { id: 10 } });
    const { id } = (await (await notify(daemon, text)).json()) as { id: string };
    await notify(daemon, text);
    await open(id);
    await panel(page, 'Duplicates').getByText('Held', { exact: true }).waitFor();
  });

  it('lists duplicates, which can be released or dismissed', async () => {
    const id = await send('{"id":31}', 'task.created', 3);
    await until('the first is delivered', () => target.of(id).length === 1);
    await show(page, `/events/${id}`);
    const again = panel(page, 'Duplicates');
    const row = (n: number) => again.getByRole('listitem').filter({ hasText: `Duplicate ${n}` });
    await row(1).getByText('Held', { exact: true }).waitFor();
    await press(row(1).getByRole('button', { name: /^Release duplicate 1/ }));
    await row(1).getByText('Released', { exact: true }).waitFor();
    await until('it arrives', () => target.of(id).length === 2);
    await press(row(2).getByRole('button', { name: 'Dismiss duplicate 2' }));
    await page.getByRole('dialog').getByText('can no longer be released').waitFor();
    await row(2).getByText('Held', { exact: true }).waitFor();
    await press(page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }));
    await row(2).getByText('Dismissed', { exact: true }).waitFor();
    await until('the focus is on the page', () => focusIsOnPage(page));
    expect(await again.getByRole('button').count()).toBe(0);
    expect(target.of(id)).toHaveLength(2);
  });
}
