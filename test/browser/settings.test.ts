import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import type { Backups } from '../../src/contract/backup';
import type { TargetCreated } from '../../src/contract/target';
import type { TokenCreated } from '../../src/contract/token';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { hasFocus, panel, placeOf, press, show } from '../support/browser/dashboard';
import { violationsInBothThemes, waitUntilLive, waitUntilOpen } from '../support/browser/dashboard';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

const backupDir = mkdtempSync(`${tmpdir()}/switchboard-backups-`);
let session: BrowserSession;
let daemon: Daemon;
let upstream: FakeCopilot;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open({
    connected: false,
    environment: {
      SWITCHBOARD_RETENTION_BYTES: '500000000',
      SWITCHBOARD_BACKUP_DIR: backupDir,
      SWITCHBOARD_BACKUP_KEEP: '3',
      SWITCHBOARD_TARGETS: 'ready=http://127.0.0.1:9/',
    },
  });
  ({ daemon, upstream } = session);
  ({ page } = await session.enter({ permissions: ['clipboard-read', 'clipboard-write'] }));
});

afterAll(async () => {
  await session?.close();
  rmSync(backupDir, { recursive: true });
});

beforeEach(async () => {
  if (!page.url().endsWith('/settings')) await show(page, '/settings');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await entries().first().waitFor();
});

const tokenRow = (name: string) => panel(page, 'API tokens').getByRole('listitem').filter({ hasText: name });
const entries = () => page.getByRole('list', { name: 'Entries' }).getByRole('listitem');

async function createToken(name: string, scopes = ['read']): Promise<TokenCreated> {
  return (await daemon.request('POST', '/tokens', { name, scopes })).body as TokenCreated;
}

/** Whether the log contains only the entries of the test setup. */
const hasOnlySetupEntries = async () => {
  const texts = await entries().allInnerTexts();
  return (
    texts.length === 2 && /Login link created/.test(texts[0]!) && /Target created\s+ready/.test(texts[1]!)
  );
};

describe('API tokens', () => {
  it('are explained while there are none', async () => {
    await panel(page, 'API tokens').getByText('No tokens yet').waitFor();
    await press(page.getByRole('button', { name: 'Backup job' }));
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    await dialog.getByRole('checkbox', { name: 'backup', checked: true }).waitFor();
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(1);
    await press(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'detached' });
  });

  it('are created by keyboard, and shown once with a copy button', async () => {
    await press(page.getByRole('button', { name: 'Create token' }));
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    await until('the name has the focus', () => hasFocus(dialog.getByRole('textbox', { name: 'Name' })));
    await page.keyboard.type('Nightly export');
    await page.keyboard.press('Tab');
    expect(await hasFocus(dialog.getByRole('checkbox', { name: 'read' }))).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await dialog.getByRole('textbox', { name: 'Name' }).focus();
    await page.keyboard.press('Enter');

    const newToken = page.getByRole('region', { name: 'New token' });
    await until('the new token has the focus', () => hasFocus(newToken));
    const secret = await newToken.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^switchboard_[0-9a-f]{64}$/);
    await press(newToken.getByRole('button', { name: 'Copy', exact: true }));
    await newToken.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);

    await newToken.getByRole('tab', { name: '.env' }).click();
    const hub = new URL(page.url()).origin;
    await newToken.getByText(`SWITCHBOARD_HUB=${hub}\nSWITCHBOARD_TOKEN=${secret}`).waitFor();

    const headers = { authorization: `Bearer ${secret}` };
    const sessionOfToken = await fetch(`${daemon.url}/api/v1/session`, { headers });
    expect(await sessionOfToken.json()).toMatchObject({
      name: 'Nightly export',
      scopes: ['read', 'operate'],
    });

    await press(newToken.getByRole('button', { name: 'I’ve saved it' }));
    await newToken.waitFor({ state: 'detached' });
    const create = page.getByRole('button', { name: 'Create token' });
    await until('the button has the focus again', () => hasFocus(create));
    const row = tokenRow('Nightly export');
    expect(await row.innerText()).toContain(`…${secret.slice(-4)}`);
    expect(await page.content()).not.toContain(secret);
    await entries()
      .first()
      .filter({ hasText: /API token created.*Nightly export/s })
      .waitFor();
  });

  it('show their last use, and link to their activity', async () => {
    const { secret } = await createToken('deploy script', ['operate']);
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'of the token', url: 'http://127.0.0.1:9/', events: ['*'] });
    await fetch(`${daemon.url}/api/v1/targets`, { method: 'POST', headers, body });
    await page.reload();
    const row = tokenRow('deploy script');
    await row.getByText(/^last used (just now|\d+ s ago)$/).waitFor();
    await row.getByRole('link', { name: 'Activity' }).click();
    await until('only its actions are shown', async () => (await entries().count()) === 1);
    const isInView = async () => (await placeOf(entries().first())).y < PAGE_OPTIONS.viewport.height;
    await until('the log is scrolled into view', isInView);
    expect(await entries().innerText()).toMatch(
      /Target created\s+of the token\s+Secret shown[\s\S]*API token “deploy script”/,
    );
  });

  it('are revoked after confirmation, and then rejected', async () => {
    const { secret } = await createToken('to be ended');
    await page.reload();
    const revoke = page.getByRole('button', { name: 'Revoke to be ended' });
    await press(revoke);
    const dialog = page.getByRole('dialog', { name: 'Revoke “to be ended”?' });
    await until('the cancel button has the focus', () =>
      hasFocus(dialog.getByRole('button', { name: 'Cancel' })),
    );
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
  it('are listed with the current one marked, and can be ended one by one', async () => {
    const other = await session.enter({
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
    });
    await waitUntilLive(other.page);
    await page.reload();
    await sessions().filter({ hasText: 'this browser' }).waitFor();
    const row = sessions().filter({ hasText: 'Firefox on Linux' });
    expect(await row.innerText()).toMatch(/signed in with a login link\s+from 127\.0\.0\.1/);
    await press(row.getByRole('button', { name: 'Sign out Firefox on Linux from 127.0.0.1' }));
    await row.waitFor({ state: 'detached' });
    await panel(page, 'Sessions').getByText('Firefox on Linux from 127.0.0.1 was signed out.').waitFor();
    await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await other.context.close();
    await entries().first().filter({ hasText: 'Session ended' }).waitFor();
  });

  it('are listed up to the newest five, and all on request', async () => {
    for (let n = 0; n < 5; n += 1) await (await session.enter()).context.close();
    await page.reload();
    await until('five are listed', async () => (await sessions().count()) === 5);
    await panel(page, 'Sessions').getByRole('button', { name: 'Show all' }).click();
    await until('all are listed', async () => (await sessions().count()) >= 6);
  });

  it('can all be ended after confirmation', async () => {
    const other = await session.enter();
    await other.page.goto(new URL('/settings', other.page.url()).href);
    await press(other.page.getByRole('button', { name: 'Sign out everywhere' }));
    const dialog = other.page.getByRole('dialog', { name: 'Sign out everywhere?' });
    await press(dialog.getByRole('button', { name: 'Sign out everywhere' }));
    await other.page.waitForURL(/\/sign-in$/);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await other.context.close();
    await page.context().close();
    ({ page } = await session.enter({ permissions: ['clipboard-read', 'clipboard-write'] }));
  });
});

describe('the audit log', () => {
  it('is filtered by actor, action, time and secrets, with a shareable URL', async () => {
    await panel(page, 'Audit log').getByLabel('Who').selectOption('Switchboard');
    await until('only what Switchboard did', hasOnlySetupEntries);
    expect(new URL(page.url()).search).toBe('?who=switchboard');
    await page.reload();
    await until('the same after a reload', hasOnlySetupEntries);
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

  it('shows older entries page by page', async () => {
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

it('shows the settings, of secrets only whether they are set, and the disk usage', async () => {
  const text = await panel(page, 'Configuration').innerText();
  expect(text).toContain(upstream.baseUrl);
  expect(text).toMatch(/Client secret\s+set/);
  // Only those that differ from the default have the name of their variable.
  expect(text).toMatch(/Initial targets\s+ready\s+SWITCHBOARD_TARGETS/);
  expect(text).toMatch(/Blocked networks\s+link-local, metadata, multicast, unspecified, reserved\n/);
  expect(text).not.toContain('SWITCHBOARD_TARGET_DENY');
  expect(text).toMatch(/Admin token\s+generated at first start/);
  expect(text).not.toContain(upstream.clientSecret);
  const storage = await panel(page, 'Retention and disk').innerText();
  expect(storage).toContain('Limit 500.0 MB');
  expect(storage).toMatch(/Events\s+kept for 30 days/);
  expect(storage).toMatch(
    /Last states of entities\s+kept for 365 days after the last change, also without its event, or less if space runs out/,
  );
  expect(await panel(page, 'Daemons').count()).toBe(0);
  expect(await panel(page, 'About').innerText()).toMatch(/Switchboard\s+\d+\.\d+\.\d+/);
});

it('shows the latest backup, and when the next one is made', async () => {
  const file = `${backupDir}/requested.db`;
  await daemon.request('POST', '/backups', { file });
  const isMade = async () => (await daemon.get<Backups>('/backups')).run?.state === 'done';
  await until('a backup is made', isMade);
  await page.reload();
  await entries().first().waitFor();
  const text = await panel(page, 'Backups').innerText();
  expect(text).toMatch(/Latest\s+(just now|.* ago), \d.* kB/);
  expect(text).toMatch(/File\s+\S+\.db/);
  expect(text).toContain(`daily into ${backupDir}, 3 files kept`);
  expect(text).toMatch(/Next\s+\S/);
});

it('shows an error if the daemon does not respond, and recovers', async () => {
  await page.route('**/api/v1/{tokens,sessions,audit,settings,backups}**', (route) => route.abort());
  await page.reload();
  const alerts = page.getByRole('alert').filter({ hasText: 'Switchboard does not respond.' });
  await until('every panel says so', async () => (await alerts.count()) === 7);
  await page.unroute('**/api/v1/{tokens,sessions,audit,settings,backups}**');
  for (const name of ['API tokens', 'Sessions', 'Configuration', 'Backups', 'Audit log'])
    await panel(page, name).getByRole('button', { name: 'Try again' }).click();
  await entries().first().waitFor();
  await panel(page, 'Configuration').getByText('Client id').waitFor();
});

it('has no accessibility violations in either theme, including its dialogs', async () => {
  await page.getByRole('list', { name: 'Entries' }).getByRole('listitem').first().waitFor();
  await panel(page, 'Configuration').getByText('Client id').waitFor();
  expect(await violationsInBothThemes(page)).toEqual([]);
  for (const button of ['Create token', 'Revoke Nightly export']) {
    await page.getByRole('button', { name: button }).click();
    await waitUntilOpen(page.getByRole('dialog'));
    expect(await violationsInBothThemes(page, '[role=dialog]')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

it('has no horizontal overflow on a phone', async () => {
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
