import { holdRequests } from '../../support/browser/dashboard';
import { attention, card, headline, metrics, notify, page, selectRange, traffic, urlOf } from './hub';

export function overviewScreen(): void {
  it('shows that all systems are operational, with the key metrics', async () => {
    await headline('All systems operational');
    await attention().getByText('Connected and subscribed; last notification').waitFor();
    await attention().getByText('1 target active, no backlog.').waitFor();
    await metrics().getByText('100%').waitFor();
    await metrics().getByText('limit 5 s').waitFor();
    await metrics().getByText('0 queued').waitFor();
    await card('orders').getByRole('figure', { name: 'last 15 min: 1 delivered' }).waitFor();
    await selectRange('Last hour');
    await traffic()
      .getByRole('figure', { name: /Traffic. Last hour: 1 event, 1 delivery/ })
      .waitFor();
  });

  it('states nothing about data that is still being loaded', async () => {
    const second = await page.context().newPage();
    const shown = second.getByRole('region', { name: 'Key metrics' });
    const NOT_LOADED = /\/api\/v1\/(stats|events|subscription)(\?.*)?$/;
    await second.routeWebSocket(/./, () => undefined);
    const release = await holdRequests(second, NOT_LOADED);
    await second.goto(urlOf('/'));
    await shown.getByText('Connected').waitFor();
    expect(await shown.innerText()).not.toMatch(/no dead letters|no notification/);
    await release();
    await shown.getByText('no dead letters').waitFor();
    await shown.getByText('last notification').waitFor();
    await second.close();
  });

  it('shows new events without a reload, and opens them', async () => {
    await notify('Lighthouse');
    const events = page.getByRole('region', { name: 'Latest events' });
    await events.getByRole('link').filter({ hasText: 'Lighthouse' }).filter({ hasText: 'Delivered' }).click();
    await page.getByRole('heading', { name: 'deal.updated' }).waitFor();
    await page.goBack();
    await headline('All systems operational');
  });

  it('does not move while it loads', async () => {
    const visitor = await page.context().newPage();
    try {
      await visitor.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            shifts.push((entry as PerformanceEntry & { value: number }).value);
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await visitor.goto(urlOf('/?range=1h'));
      await visitor.getByRole('region', { name: 'Latest events' }).getByRole('link').nth(1).waitFor();
      await visitor.locator('canvas').waitFor();
      const shifts = await visitor.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
      expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.05);
    } finally {
      await visitor.close();
    }
  });
}
