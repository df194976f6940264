import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { accessibilityViolations, APPEARS_WITHIN_MS } from '../support/browser/dashboard';
import { Client } from '../sandbox/client';
import { type Receiver, startReceiver } from '../sandbox/receiver';

/** The developer panel of the sandbox (document, 5.1). */
let sandbox: Sandbox;
let receiver: Receiver;
let client: Client;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  receiver = await startReceiver();
  sandbox = await startSandbox({ consent: 'grant' });
  client = new Client(sandbox);
});
afterEach(async () => {
  await context.close();
  await sandbox.close();
  await receiver.close();
});

async function open(options: object = {}): Promise<void> {
  pageErrors = [];
  context = await browser.newContext({ ...PAGE_OPTIONS, ...options });
  page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${sandbox.baseUrl}/panel`);
}

const notice = () => page.locator('#notice');

test('an application is created, and its Client Secret is shown once', async () => {
  await open();
  const form = page.locator('#applications > form');
  await form.getByLabel('Name').fill('Mine');
  await form.getByLabel('Redirect URIs').fill('http://127.0.0.1:8080/back');
  await form.getByRole('button').click();
  await notice().getByText('Client Secret (shown only once)').waitFor();
  const [clientId = '', clientSecret = ''] = await notice().locator('code').allInnerTexts();
  const { body } = await client.refresh('made-up', { client_id: clientId, client_secret: clientSecret });
  expect(body.error).toBe('invalid_grant');
  await page.locator('#application-list').getByText(clientId).waitFor();
  await page.reload();
  expect(await page.content()).toContain(clientId);
  expect(await page.content()).not.toContain(clientSecret);
  expect(pageErrors).toEqual([]);
});

test('a rejected redirect URI shows an error beside its field', async () => {
  await open();
  const form = page.locator('#applications > form');
  await form.getByLabel('Name').fill('Mine');
  await form.getByLabel('Redirect URIs').fill('http://relay.example/back');
  await form.getByRole('button').click();
  await form.getByText('Only https is allowed').waitFor();
  expect(await form.getByLabel('Redirect URIs').getAttribute('aria-invalid')).toBe('true');
});

test('a manually moved deal notifies the webhook, and the log shows the delivery', async () => {
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, events: ['deal.status_changed'] });
  await open();
  const row = page.locator('#deal-list tbody tr').first();
  await row.getByRole('combobox').selectOption({ label: 'Won' });
  await row.getByRole('button', { name: /^Move/ }).click();
  await receiver.untilReceived(1);
  expect(receiver.notifications()[0]?.data.status_id).toBe(142);
  await page.getByText('Delivery log of').click();
  await page.locator('#webhooks').getByText('delivered').waitFor();
  expect(await page.locator('#webhooks').innerText()).toContain('1: 200 after');
});

test('a manual event with invalid JSON is not sent, and the page shows an error', async () => {
  await open();
  await page.getByLabel('Data as JSON').fill('{');
  await page.getByRole('button', { name: 'Send event' }).click();
  await notice().getByText('JSON').waitFor();
});

test('a refresh token is revoked', async () => {
  const { refresh_token: token } = await client.connect('webhooks');
  await open();
  await page.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByText('No valid refresh tokens.').waitFor();
  expect((await client.refresh(token)).body.error).toBe('invalid_grant');
});

test('external changes appear without a reload, and typed text is kept', async () => {
  await open();
  await page.locator('#contact-list summary').first().click();
  const name = page.locator('#contact-list').getByLabel('Name').first();
  await name.fill('Half writ');
  sandbox.createApplication({ name: 'From elsewhere', redirectUris: ['https://relay.example/'] });
  sandbox.emit('contact.created');
  await page.locator('#application-list').getByText('From elsewhere').waitFor();
  expect(await name.inputValue()).toBe('Half writ');
});

test.each([
  ['light', 1200],
  ['dark', 390],
] as const)('is accessible and fits its window: %s, %d pixels wide', async (colorScheme, width) => {
  const { access_token: token } = await client.connect('webhooks,deals');
  await client.register(token, { url: receiver.url });
  sandbox.emit('deal.created');
  await receiver.untilReceived(1);
  sandbox.emit('task.created');
  await open({ colorScheme, viewport: { width, height: 900 } });
  await page.getByText('Delivery log of').click();
  await page.locator('#deal-list summary').first().click();
  await page.getByRole('button', { name: 'Send event' }).click();
  await notice().getByText('sent').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});
