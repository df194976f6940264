import { panel, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, daemon, notify, page, receiver, row, targetNamed } from './hub';

const namesInList = () => page.locator('tbody [data-row]').allInnerTexts();

export function listOfTargets(): void {
  it('shows a target that answers every request with an error as Failing, as do its card, its screen and the pickers', async () => {
    receiver.respondWith(400);
    const { id } = await addTarget({
      name: 'importer',
      url: receiver.url,
      filter: { 'data.status_id': { $gt: 0 } },
      policy: { breaker: null, retry: { delays_s: [] } },
    });
    await addTarget({ name: 'quiet', url: receiver.url, events: ['never.*'], enabled: false });
    for (let n = 1; n <= 10; n += 1) await notify(n);
    await until('it fails', async () => (await targetNamed('importer')).health.attempts === 10);
    await show(page, '/targets');
    await row('importer').getByText('Failing', { exact: true }).waitFor();
    await row('importer').getByText('0%', { exact: true }).waitFor();
    await row('importer').getByText('With a filter').waitFor({ state: 'attached' });
    await row('quiet').getByText('–').first().waitFor();
    expect(await row('quiet').getByText('With a filter').count()).toBe(0);
    expect(await namesInList()).toEqual(['importer', 'quiet']);
    await page.getByRole('link', { name: 'Target', exact: true }).click();
    await page.getByRole('link', { name: 'Target', exact: true }).click();
    await page.waitForURL(/\?sort=-name$/);
    await until('the order', async () => (await namesInList()).join() === 'quiet,importer');
    expect(await page.locator('th[aria-sort=descending]').innerText()).toBe('Target');

    await show(page, `/targets/${id}`);
    await panel(page, 'Status').getByText('Every attempt in the last hour failed (10).').waitFor();
    await show(page, '/events');
    await page
      .getByLabel('Target', { exact: true })
      .getByRole('option', { name: 'importer (Failing)' })
      .waitFor({ state: 'attached' });
    await show(page, '/');
    await page.getByRole('region', { name: 'Targets' }).getByText('Failing', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'What needs attention' })
      .getByText(/^importer failing · HTTP 400 .*10 dead letters/)
      .waitFor();
  });

  it('searches by text, counts and filters by state, keeps both in the address, and shows buttons of one row', async () => {
    for (const name of ['shop', 'shop archive', 'crm']) await addTarget({ name, url: receiver.url });
    await addTarget({ name: 'shop staging', url: receiver.url, enabled: false });
    await show(page, '/targets');
    const states = page.getByRole('navigation', { name: 'Targets by state' });
    await states.getByRole('link', { name: 'All 4' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search targets' }).fill('SHOP');
    await states.getByRole('link', { name: 'All 3' }).waitFor();
    await states.getByRole('link', { name: 'Disabled 1' }).click();
    await page.waitForURL(/\?q=SHOP&state=disabled$/);
    expect(await namesInList()).toEqual(['shop staging']);
    await page.reload();
    await row('shop staging').waitFor();
    await states.getByRole('link', { name: 'All 3' }).click();
    await until(
      'the working ones come first',
      async () => (await namesInList()).join() === 'shop,shop archive,shop staging',
    );
    expect(await page.getByRole('button', { name: /^Pause shop/ }).count()).toBe(0);
    await row('shop archive').hover();
    await page.getByRole('button', { name: /^Pause shop archive/ }).waitFor();
    const heights = await page.locator('tbody tr').evaluateAll((rows) => rows.map((one) => one.clientHeight));
    expect(new Set(heights).size).toBe(1);
    await page.getByRole('searchbox', { name: 'Search targets' }).fill('nowhere');
    await page.getByText('No target matches').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await states.getByRole('link', { name: 'All 4' }).waitFor();
  });

  it('pauses selected targets with a reason and an end, and resumes all', async () => {
    for (const name of ['one', 'two', 'three']) await addTarget({ name, url: receiver.url });
    await show(page, '/targets');
    await page.getByRole('checkbox', { name: 'Select one' }).check();
    await page.getByRole('checkbox', { name: 'Select two' }).check();
    const bulk = page.getByRole('region', { name: 'Bulk actions' });
    await bulk.getByText('2 selected').waitFor();
    await bulk.getByRole('button', { name: 'Pause 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Database upgrade');
    await dialog.getByRole('combobox', { name: 'For' }).selectOption('4 hours');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await row('one')
      .getByText(/Paused just now: “Database upgrade”, resumes in 4 h/)
      .waitFor();
    expect(await targetNamed('two')).toMatchObject({ paused: { reason: 'Database upgrade' } });
    expect((await targetNamed('three')).paused).toBeNull();
    await page.getByRole('button', { name: 'Resume all' }).click();
    await dialog.getByText('two: 0 queued, paused: “Database upgrade”').waitFor();
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
    await until('all are resumed', async () => (await targetNamed('two')).paused === null);
    await addTarget({ name: 'on call', url: receiver.url, events: ['relay.*'] });
    await row('on call').waitFor();
    await daemon.request('POST', `/targets/${(await targetNamed('one')).id}/pause`, { reason: 'Repairs' });
    await row('one')
      .getByText(/Paused just now: “Repairs”/)
      .waitFor();
    await page.getByRole('button', { name: 'Pause all' }).click();
    await dialog.getByText('Paused already, and left as they are: one.').waitFor();
    await dialog.getByText(/^Targets for alerts stay active.*: on call\./).waitFor();
    await dialog.getByRole('combobox', { name: 'For' }).selectOption('Until a time…');
    await dialog.getByRole('textbox', { name: 'Until' }).fill('2099-01-02 10:00');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await until('all are paused', async () => (await targetNamed('three')).paused !== null);
    expect((await targetNamed('three')).paused?.until).toMatch(/^2099-01-0[123]T\d\d:00:00\.000Z$/);
    await row('three').getByText('Paused', { exact: true }).waitFor();
    expect((await targetNamed('on call')).paused).toBeNull();
    expect(await page.getByRole('button', { name: 'Pause all' }).count()).toBe(0);
    expect((await targetNamed('one')).paused).toMatchObject({ reason: 'Repairs', until: null });
    await page.getByText(/^Paused all targets. New events wait until 2099-01-02 10:00/).waitFor();
    await page.keyboard.press('z');
    await until('the others are resumed', async () => (await targetNamed('three')).paused === null);
    expect((await targetNamed('one')).paused).toMatchObject({ reason: 'Repairs' });
  });
}
