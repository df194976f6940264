import type { Page } from 'playwright-core';
import type { PayloadTypes } from '../../src/contract/payload-type';
import { BrowserSession } from '../support/browser/browser-session';
import {
  accessibilityViolations,
  focusIsOnPage,
  horizontalOverflow,
  load,
  panel,
  press,
  show,
  violationsInBothThemes,
  waitUntilOpen,
  withLook,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { until } from '../support/until';

let session: BrowserSession;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ page } = await session.enter());
});
afterAll(() => session?.close());

const types = () => session.daemon.get<PayloadTypes>('/types');

const row = (type: string) => page.getByRole('link', { name: type });

it('the contract is empty before an event was examined, then shows how much was learned', async () => {
  await show(page, '/contract');
  await page.getByRole('heading', { name: 'No schemas yet' }).waitFor();
  await emit(session.daemon, 'contact.created', { id: 1 });
  await until('it is examined', async () => (await types()).data[0]?.examined === 1);
  await load(page, '/contract');
  await row('contact.created').getByText('First version after 50 events').waitFor();
  await row('contact.created').getByText('1 event', { exact: true }).waitFor();
  expect(await violationsInBothThemes(page)).toEqual([]);
});

describe('the contract of a type that has changed', () => {
  beforeAll(async () => {
    const { daemon } = session;
    let newest = '';
    for (let id = 0; id < 60; id += 1)
      newest = await emit(daemon, 'deal.created', { id, name: 'A', ...(id > 44 && { price: null }) });
    await until('they are examined', async () =>
      (await types()).data.some(({ type, examined }) => type === 'deal.created' && examined === 60),
    );
    // It makes a version before it stops; a second one would take ten minutes.
    await daemon.stop();
    const change = { path: 'data.price', change: 'added', before: null, after: 'null', event_id: newest };
    daemon.alterDatabase(
      `INSERT INTO payload_schema_versions(type, version, schema, changes, created_at, accepted_at)
         SELECT type, 2, schema, '[${JSON.stringify(change)}]', created_at, NULL
         FROM payload_schema_versions WHERE type = 'deal.created'`,
    );
    await daemon.restart();
    await load(page, '/contract');
  });

  it('is reached by keyboard, and shows its fields with their types and how often they are present', async () => {
    await row('deal.created').getByText('Changed').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'deal.created' }).waitFor();
    const price = page.getByRole('row', { name: /^data\.price/ });
    await price.getByRole('cell', { name: 'null', exact: true }).waitFor();
    await price.getByText('25.0%').waitFor();
    const id = page.getByRole('row', { name: /^data\.id/ });
    expect(await id.getByRole('cell').last().textContent()).toBe('');
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  it('shows what changed in its versions, until that is accepted', async () => {
    await show(page, '/contract/deal.created?version=1');
    await panel(page, 'Fields in version 1').waitFor();
    await panel(page, 'Versions').getByText('Added: none → null').waitFor();
    await press(page.getByRole('button', { name: 'Accept changes' }));
    await page.getByText('Stable', { exact: true }).waitFor();
    await panel(page, 'Versions').getByText('accepted').waitFor();
    await until('the focus is on the page', () => focusIsOnPage(page));
    await panel(page, 'Versions').getByRole('link', { name: 'First event' }).click();
    await page.getByRole('heading', { name: 'deal.created' }).waitFor();
    await page.waitForURL(/\/events\//);
  });

  it('is exported as code to copy and to download', async () => {
    await show(page, '/contract/deal.created');
    await press(page.getByRole('button', { name: 'Export' }));
    const dialog = page.getByRole('dialog');
    await waitUntilOpen(dialog);
    await dialog.getByText('export type CopilotEvent').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('link', { name: 'deal.created.ts' }).click();
    expect((await download).suggestedFilename()).toBe('deal.created.ts');
    await dialog.getByRole('tab', { name: 'JSON Schema' }).click();
    await dialog.getByText('"$defs"').waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('fits a small phone', async () => {
    await withLook(page, { colorScheme: 'dark', viewport: { width: 360, height: 780 } }, async () => {
      for (const path of ['/contract', '/contract/deal.created']) {
        await show(page, path);
        await page.getByText('deal.created').first().waitFor();
        expect(await horizontalOverflow(page)).toBe(0);
        expect(await accessibilityViolations(page)).toEqual([]);
      }
    });
  });
});
