import type { Page } from 'playwright-core';
import type { TargetCreated } from '../../src/contract/target';
import type { TokenCreated } from '../../src/contract/token';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { findings, hasFocus, live, lookAgain, panel, press, stands } from '../support/browser/dashboard';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

const AXE_WITHIN_MS = 180_000;

let stand: BrowserSession;
let daemon: Daemon;
let upstream: FakeCopilot;
let page: Page;

beforeAll(async () => {
  stand = await BrowserSession.open({
    connected: false,
    environment: {
      SWITCHBOARD_RETENTION_BYTES: '500000000',
      SWITCHBOARD_TARGETS: 'ready=http://127.0.0.1:9/',
    },
  });
  ({ daemon, upstream } = stand);
  ({ page } = await stand.enter({ permissions: ['clipboard-read', 'clipboard-write'] }));
});

afterAll(() => stand?.close());

beforeEach(() => show('/settings'));

async function show(path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await page.getByRole('list', { name: 'Entries' }).getByRole('listitem').first().waitFor();
}

const tokenRow = (name: string) => panel(page, 'API tokens').getByRole('listitem').filter({ hasText: name });
const entries = () => page.getByRole('list', { name: 'Entries' }).getByRole('listitem');

async function makeToken(name: string, scopes = ['read']): Promise<TokenCreated> {
  return (await daemon.request('POST', '/tokens', { name, scopes })).body as TokenCreated;
}

/** What the daemon did before anybody asked it to. */
const isItsOwn = async () => {
  const texts = await entries().allInnerTexts();
  return (
    texts.length === 2 && /Login link created/.test(texts[0]!) && /Target created\s+ready/.test(texts[1]!)
  );
};

describe('API tokens', () => {
  it('are none at first, and the screen says what that means', async () => {
    await panel(page, 'API tokens').getByText('No tokens yet').waitFor();
  });

  it('are made by keyboard alone, and shown once with a way to copy', async () => {
    await press(page.getByRole('button', { name: 'Create token' }));
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    await until('the name has the focus', () => hasFocus(dialog.getByRole('textbox', { name: 'Name' })));
    await page.keyboard.type('Nightly export');
    await page.keyboard.press('Tab');
    expect(await hasFocus(dialog.getByRole('checkbox', { name: 'read' }))).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await dialog.getByRole('textbox', { name: 'Name' }).focus();
    await page.keyboard.press('Enter');

    const made = page.getByRole('region', { name: 'New token' });
    await until('the new token has the focus', () => hasFocus(made));
    const secret = await made.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^switchboard_[0-9a-f]{64}$/);
    await press(made.getByRole('button', { name: 'Copy' }));
    await made.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);

    const headers = { authorization: `Bearer ${secret}` };
    const who = await fetch(`${daemon.url}/api/v1/session`, { headers });
    expect(await who.json()).toMatchObject({ name: 'Nightly export', scopes: ['read', 'operate'] });

    await press(made.getByRole('button', { name: 'I’ve saved it' }));
    await made.waitFor({ state: 'detached' });
    expect(await hasFocus(page.getByRole('button', { name: 'Create token' }))).toBe(true);
    const row = tokenRow('Nightly export');
    expect(await row.innerText()).toContain(`…${secret.slice(-4)}`);
    expect(await page.content()).not.toContain(secret);
    await entries()
      .first()
      .filter({ hasText: /API token created.*Nightly export/s })
      .waitFor();
  });

  it('say when they were used, and lead to what they did', async () => {
    const { secret } = await makeToken('hands', ['operate']);
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'of the token', url: 'http://127.0.0.1:9/', events: ['*'] });
    await fetch(`${daemon.url}/api/v1/targets`, { method: 'POST', headers, body });
    await page.reload();
    const row = tokenRow('hands');
    await row.getByText(/^last used (now|\d+ s ago)$/).waitFor();
    await row.getByRole('link', { name: 'Activity' }).click();
    await until('only what it did is shown', async () => (await entries().count()) === 1);
    const inSight = async () => (await entries().first().boundingBox())!.y < PAGE_OPTIONS.viewport.height;
    await until('it is in sight', inSight);
    expect(await entries().innerText()).toMatch(
      /Target created\s+of the token\s+Secret shown[\s\S]*API token “hands”/,
    );
  });

  it('are revoked after one question, and refused from then on', async () => {
    const { secret } = await makeToken('to be ended');
    await page.reload();
    const revoke = page.getByRole('button', { name: 'Revoke to be ended' });
    await press(revoke);
    const dialog = page.getByRole('dialog', { name: 'Revoke “to be ended”?' });
    await until('keeping it has the focus', () => hasFocus(dialog.getByRole('button', { name: 'Cancel' })));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the button has the focus again', () => hasFocus(revoke));

    await press(revoke);
    await press(dialog.getByRole('button', { name: 'Revoke' }));
    await page.getByText('“to be ended” was revoked.').waitFor();
    await tokenRow('to be ended').waitFor({ state: 'detached' });
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${daemon.url}/api/v1/stats`, { headers })).status).toBe(401);
  });
});

const sessions = () => panel(page, 'Sessions').getByRole('listitem');

describe('sessions', () => {
  it('are listed, this browser marked, and are signed out one by one', async () => {
    const other = await stand.enter({
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
    });
    await live(other.page);
    await page.reload();
    await sessions().filter({ hasText: 'this browser' }).waitFor();
    const row = sessions().filter({ hasText: 'Firefox on Linux' });
    expect(await row.innerText()).toMatch(/Signed in with a login link\s+from 127\.0\.0\.1/);
    await press(row.getByRole('button', { name: 'Sign out Firefox on Linux from 127.0.0.1' }));
    await row.waitFor({ state: 'detached' });
    await panel(page, 'Sessions').getByText('Firefox on Linux from 127.0.0.1 was signed out.').waitFor();
    await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await other.context.close();
    await entries().first().filter({ hasText: 'Session ended' }).waitFor();
  });

  it('are all signed out at once, after one question', async () => {
    const other = await stand.enter();
    await other.page.goto(new URL('/settings', other.page.url()).href);
    await press(other.page.getByRole('button', { name: 'Sign out everywhere' }));
    const dialog = other.page.getByRole('dialog', { name: 'Sign out everywhere?' });
    await press(dialog.getByRole('button', { name: 'Sign out everywhere' }));
    await other.page.waitForURL(/\/sign-in$/);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await other.context.close();
    await page.context().close();
    ({ page } = await stand.enter({ permissions: ['clipboard-read', 'clipboard-write'] }));
  });
});

describe('the audit log', () => {
  it('is narrowed by who, what, when and secrets, in an address that can be shared', async () => {
    await panel(page, 'Audit log').getByLabel('Who').selectOption('Switchboard');
    await until('only what Switchboard did', isItsOwn);
    expect(new URL(page.url()).search).toBe('?who=switchboard');
    await page.reload();
    await until('the same after a reload', isItsOwn);
    await panel(page, 'Audit log').getByLabel('What').selectOption('API tokens');
    await page.getByText('No entries match the filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Only entries where a secret was shown').check();
    await page.getByLabel('When').selectOption('Last hour');
    expect(new URL(page.url()).search).toBe('?within=hour&secrets=shown');
    await until('only secrets', async () => {
      const texts = await entries().allInnerTexts();
      return texts.length > 0 && texts.every((text) => text.includes('Secret shown'));
    });
  });

  it('shows older ones a page at a time', async () => {
    const { body } = await daemon.request('POST', '/targets', {
      name: 'often changed',
      url: 'http://127.0.0.1:9/',
      events: ['*'],
    });
    const { id } = body as TargetCreated;
    for (let i = 0; i < 17; i += 1)
      for (const act of ['pause', 'resume']) await daemon.request('POST', `/targets/${id}/${act}`);
    await page.reload();
    await until('one page', async () => (await entries().count()) === 30);
    await press(page.getByRole('button', { name: 'Show older' }));
    await until('the next', async () => (await entries().count()) > 30);
    await entries()
      .filter({ hasText: /Target created\s*often changed/ })
      .waitFor();
  });
});

it('says what is configured, of secrets only that they are set, and what is kept on the disk', async () => {
  const text = await panel(page, 'Configuration').innerText();
  expect(text).toContain(upstream.baseUrl);
  expect(text).toMatch(/Client secret\s+set/);
  expect(text).toMatch(/Admin token\s+generated at first start/);
  expect(text).not.toContain(upstream.clientSecret);
  const storage = await panel(page, 'Retention and disk').innerText();
  expect(storage).toContain('Limit 500.0 MB');
  expect(storage).toMatch(/Events\s+kept for 30 days/);
  expect(await panel(page, 'About').innerText()).toMatch(/Switchboard\s+\d+\.\d+\.\d+/);
});

it('says so where the daemon does not answer, and comes back with it', async () => {
  await page.route('**/api/v1/{tokens,sessions,audit,settings}**', (route) => route.abort());
  await page.reload();
  const alerts = page.getByRole('alert').filter({ hasText: 'Switchboard does not respond.' });
  await until('every panel says so', async () => (await alerts.count()) === 6, 30_000);
  await page.unroute('**/api/v1/{tokens,sessions,audit,settings}**');
  for (const name of ['API tokens', 'Sessions', 'Configuration', 'Audit log'])
    await panel(page, name).getByRole('button', { name: 'Try again' }).click();
  await entries().first().waitFor();
  await panel(page, 'Configuration').getByText('Client id').waitFor();
});

it.each(['light', 'dark'] as const)(
  'has nothing that axe finds, with its dialogs (%s)',
  async (colorScheme) => {
    await lookAgain(page, { colorScheme }, async (look) => {
      await look.getByRole('list', { name: 'Entries' }).getByRole('listitem').first().waitFor();
      await panel(look, 'Configuration').getByText('Client id').waitFor();
      expect(await findings(look)).toEqual([]);
      for (const button of ['Create token', 'Revoke Nightly export']) {
        await look.getByRole('button', { name: button }).click();
        await stands(look.getByRole('dialog'));
        expect(await findings(look)).toEqual([]);
        await look.keyboard.press('Escape');
        await look.getByRole('dialog').waitFor({ state: 'detached' });
      }
    });
  },
  AXE_WITHIN_MS,
);

it('fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await entries().first().waitFor();
  await panel(page, 'Configuration').getByText('Client id').waitFor();
  await until('it is as wide as the phone', () =>
    page.evaluate(() => document.documentElement.scrollWidth === 390),
  );
  await press(page.getByRole('button', { name: 'Create token' }));
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
  await page.keyboard.press('Escape');
});
