import type { Page } from 'playwright-core';
import { BrowserSession } from '../support/browser/browser-session';
import { navigationLink, panel, show } from '../support/browser/dashboard';

let session: BrowserSession;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open({ connected: false });
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

it('the overview explains the three setup steps, and shows no empty charts', async () => {
  await page.getByRole('heading', { name: 'Let’s get you set up' }).waitFor();
  const steps = panel(page, 'Three steps to your first event');
  await steps.getByRole('link', { name: 'Connect to Co-Pilot' }).waitFor();
  await steps.getByRole('link', { name: 'Add a target' }).click();
  expect(new URL(page.url()).pathname).toBe('/targets/new');
  await page.goBack();
  expect(await panel(page, 'Traffic').count()).toBe(0);
});

it('the list of events is explained, and leads to the connection', async () => {
  await show(page, '/');
  await navigationLink(page, 'Events').click();
  await page.getByRole('heading', { name: 'No events yet' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Connect to Co-Pilot' }).waitFor();
  expect(await navigationLink(page, 'Events').getAttribute('aria-current')).toBe('page');
});

it('there is no link to the sandbox, and its URL says why', async () => {
  await show(page, '/sandbox');
  await page.getByText('not to the sandbox').waitFor();
  await navigationLink(page, 'Settings').waitFor();
  expect(await navigationLink(page, 'Sandbox').count()).toBe(0);
});
