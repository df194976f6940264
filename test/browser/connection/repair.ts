import type { ListedOutage, Outage } from '../../../src/contract/outage';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Repair, RepairItem } from '../../../src/contract/repair';
import {
  accessibilityViolations,
  focusIsOnPage,
  load,
  panel,
  press,
  show,
  waitUntilOpen,
} from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page } from './hub';

const REPAIRS = /\/api\/v1\/repairs(\?|$)/;
const dialog = () => page.getByRole('dialog', { name: 'Repair', exact: true });
const repairButton = () =>
  panel(page, 'Events that may have been missed')
    .getByRole('button', { name: /^Repair:/ })
    .first();
const newest = async () => (await daemon.get<ListPage<Repair>>('/repairs?limit=1')).data[0]!;

const ITEMS: RepairItem[] = [
  {
    id: 'deal:42',
    entity: 'deal:42',
    name: 'Solar roof',
    action: 'changed',
    changes: [{ path: 'data.status_id', before: 2, after: 3 }],
    outcome: null,
    event_id: null,
  },
];

export function repair(): void {
  it('of an outage is started, shown with what differs, applied and cancelled', async () => {
    await daemon.stop();
    daemon.alterDatabase(
      `INSERT INTO outages(id, kind, began_at, ended_at)
         VALUES ('out_01arz3ndektsv4rrffq69g5faz', 'downtime', ${Date.now() - 120_000}, ${Date.now() - 60_000})`,
    );
    await daemon.restart();
    await load(page, '/connection');
    await press(repairButton());
    await waitUntilOpen(dialog());
    await press(dialog().getByRole('button', { name: 'Read all deals' }));
    await dialog()
      .getByText(/They are compared in \d+ s/)
      .waitFor();
    await until('the focus is kept', () => focusIsOnPage(page));
    const { id, outage_ids: outages } = await newest();
    expect(outages).toHaveLength(1);

    // The daemon itself compares only after these seconds.
    await page.route(REPAIRS, async (route) => {
      const changes = { state: 'previewed', apply_until: new Date(Date.now() + 60_000).toISOString() };
      const found = await newest();
      const data = [{ ...found, ...changes, counts: { ...found.counts, changed: 1, absent: 1 } }];
      await route.fulfill({ json: { data, next_cursor: null } });
    });
    await page.route(/\/items\?/, (route) => route.fulfill({ json: { data: ITEMS, next_cursor: null } }));
    await dialog().getByText('1 changed, 1 deleted at Co-Pilot').waitFor();
    await dialog()
      .getByText(/status_id.*2.*3/)
      .waitFor();
    await dialog().getByLabel('Also send deal.deleted for 1 deal').check();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    const applied = page.waitForRequest(/\/apply$/);
    await press(dialog().getByRole('button', { name: 'Apply to 2 deals' }));
    expect((await applied).postDataJSON()).toEqual({ actions: ['changed', 'missing', 'absent'] });
    await dialog().getByRole('alert').waitFor();

    await page.unrouteAll();
    await press(dialog().getByRole('button', { name: 'Cancel repair' }));
    await dialog().getByText('What was sent stays').waitFor();
    expect(await newest()).toMatchObject({ id, state: 'cancelled' });
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    const done = { ...(await newest()), id: 'rpr_01arz3ndektsv4rrffq69g5fbb', state: 'done' };
    await page.route(REPAIRS, (route) =>
      route.fulfill({
        json: route.request().method() === 'POST' ? done : { data: [done], next_cursor: null },
      }),
    );
    await page.route(/\/api\/v1\/outages\?/, async (route) => {
      const list = (await (await route.fetch()).json()) as ListPage<ListedOutage>;
      const { id: repairId, state, created_at, ended_at } = done;
      const repairs = [{ id: repairId, state, created_at, ended_at, events: 2 }];
      await route.fulfill({ json: { ...list, data: list.data.map((one) => ({ ...one, repairs })) } });
    });
    await press(repairButton());
    await press(dialog().getByRole('button', { name: 'Read all deals' }));
    await panel(page, 'Events that may have been missed')
      .getByText(/^Repaired (just now|\d+ s ago): 2 events$/)
      .first()
      .waitFor();
    await press(dialog().getByRole('button', { name: 'Dismiss the outage' }));
    await dialog().waitFor({ state: 'detached' });
    await until('the outage is dismissed', async () => {
      const { data } = await daemon.get<ListPage<Outage>>('/outages');
      return data.find((outage) => outage.id === outages[0])?.dismissed_at !== null;
    });
    // The button that opened the dialog is gone.
    await page.locator('li[data-dismissed]:focus').waitFor();
    await page.unrouteAll();
    await show(page, '/entities');
  });
}
