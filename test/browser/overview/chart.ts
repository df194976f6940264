import { until } from '../../support/until';
import { attention, daemon, headline, metrics, page, rangeButton, selectRange, traffic, urlOf } from './hub';

const MINUTE_MS = 60_000;

/** In which history is stored. */
const MINUTES = 25;

/** The background colour of a downtime in the light theme. */
const DOWNTIME = [252, 233, 231];

const rangeIs = async (name: string | RegExp) => {
  await rangeButton().getByText(name, { exact: true }).waitFor();
  await traffic().getByRole('figure', { name }).waitFor();
};

/** An outage of 20 minutes that ended 10 minutes ago, and events in the minutes before. */
function storeHistory(): void {
  const ended = Date.now() - 10 * MINUTE_MS;
  const minute = Math.floor(Date.now() / MINUTE_MS) - 57;
  daemon.alterDatabase(
    `INSERT INTO outages(id, kind, began_at, ended_at)
       VALUES ('out_${'0'.repeat(26)}', 'downtime', ${ended - 20 * MINUTE_MS}, ${ended});
     WITH RECURSIVE minutes(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM minutes WHERE n < ${MINUTES - 1})
       INSERT OR REPLACE INTO traffic_minutes(minute, target, events, delivered, failed, dead)
       SELECT ${minute} + n, 0, 5, 0, 0, 0 FROM minutes`,
  );
}

/** The share of the chart in the given colour. */
const shareOf = (colour: readonly number[]) =>
  page.evaluate((wanted) => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let hits = 0;
    for (let i = 0; i < pixels.length; i += 4)
      if (wanted.every((value, k) => Math.abs(value - (pixels[i + k] ?? 0)) < 3)) hits += 1;
    return pixels.length === 0 ? 0 : hits / (pixels.length / 4);
  }, colour);

export function chart(): void {
  it('keeps the time range of its chart in the URL', async () => {
    await selectRange('Last 24 hours');
    await page.waitForURL(/\?range=24h$/);
    await selectRange('Last 5 minutes');
    await page.waitForURL(/\?range=live$/);
    await page.goBack();
    await page.waitForURL(/\?range=24h$/);
    await rangeIs('Last 24 hours');
    await page.goto(urlOf('/?range=7d'));
    await rangeIs('Last 7 days');
  });

  it('shows the numbers of the chart as a table', async () => {
    await page.goto(urlOf('/?range=1h'));
    await traffic().getByRole('button', { name: 'Show as table' }).click();
    const table = traffic().getByRole('table');
    await table.waitFor();
    const counts = await table.locator('tbody td:nth-of-type(1)').allInnerTexts();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(2);
    await traffic().getByRole('button', { name: 'Hide table' }).click();
  });

  it('draws outages, and lets the operator repair and dismiss them', async () => {
    await daemon.stop();
    storeHistory();
    await daemon.restart();
    await page.goto(urlOf('/?range=1h'));
    await attention().getByText('Events may have been missed between').waitFor();
    await metrics().getByText('none since startup').waitFor();
    await traffic()
      .getByText(/\(20 min\): events may have been missed/)
      .waitFor();
    await traffic().locator('canvas').waitFor();
    await until('the window is drawn', async () => (await shareOf(DOWNTIME)) > 0.2);
    expect(await shareOf(DOWNTIME)).toBeLessThan(0.5);
    await attention().getByRole('button', { name: 'Repair…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Repair', exact: true });
    await dialog.getByRole('button', { name: 'Read all deals' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    await attention().getByRole('button', { name: 'Dismiss' }).click();
    await headline('All systems operational');
    // A dismissed outage is still part of the hour.
    await traffic().getByText('events may have been missed').waitFor();
  });

  it('shows the newest numbers of the chart in its table, and all on request', async () => {
    await traffic().getByRole('button', { name: 'Show as table' }).click();
    const rows = traffic().getByRole('table', { name: 'Traffic as a table' }).locator('tbody tr');
    await until('the newest are shown', async () => (await rows.count()) === 12);
    await traffic()
      .getByRole('button', { name: /^Show all \d+$/ })
      .click();
    expect(await rows.count()).toBeGreaterThanOrEqual(MINUTES);
    await traffic().getByRole('button', { name: 'Show newest only' }).click();
    expect(await rows.count()).toBe(12);
  });
}
