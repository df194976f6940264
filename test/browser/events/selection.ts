import { readFileSync } from 'node:fs';
import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import { show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page, rows, target } from './hub';

const bar = () => page.getByRole('region', { name: 'Selection' });

const check = (name: string) =>
  rows()
    .filter({ hasText: name })
    .last()
    .getByRole('checkbox', { name: /^Select / })
    .check();

export function selectedEvents(): void {
  it('are exported and replayed exactly as selected, while the list changes', async () => {
    await show(page, '/events?q=order');
    for (const name of ['Order 2', 'Order 4']) await check(name);
    // A selection of the rows of another search adds to it.
    await page.getByLabel('Text in the payload').fill('order 7');
    await until('the list is another', async () => (await rows().count()) === 1);
    await check('Order 7');
    await bar().getByText('3 events selected').waitFor();
    expect(await bar().getByRole('button', { name: 'Compare' }).count()).toBe(0);

    const { data } = await daemon.get<ListPage<EventSummary>>('/events?q=order&limit=200');
    const wanted = ['Order 2', 'Order 4', 'Order 7'].map(
      (name) => data.findLast((event) => event.name === name)!.id,
    );
    await bar().getByRole('button', { name: 'Export' }).click();
    await page.getByText('3 events with payloads, as').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'NDJSON' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as EventSummary).id)).toEqual(wanted);

    const before = target.hits.length;
    await bar().getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 3 events' });
    await dialog.getByRole('checkbox').first().check();
    await dialog.getByRole('button', { name: 'Replay 3 events to 1 target' }).click();
    await page.waitForURL(/\/replays\/rpl_/);
    await until('they arrived', () => target.hits.length >= before + 3);
    await page.getByText('Done', { exact: true }).first().waitFor();
    expect(target.hits.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual(wanted);
  });
}
