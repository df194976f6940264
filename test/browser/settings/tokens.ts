import type { TokenCreated } from '../../../src/contract/token';
import { PAGE_OPTIONS } from '../../support/browser/browser';
import { hasFocus, panel, placeOf, press } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { entries, page, session } from './hub';

const tokenRow = (name: string) => panel(page, 'API tokens').getByRole('listitem').filter({ hasText: name });

async function createToken(name: string, scopes = ['read']): Promise<TokenCreated> {
  return (await session.daemon.request('POST', '/tokens', { name, scopes })).body as TokenCreated;
}

export function apiTokens(): void {
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
    const sessionOfToken = await fetch(`${session.daemon.url}/api/v1/session`, { headers });
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
    await fetch(`${session.daemon.url}/api/v1/targets`, { method: 'POST', headers, body });
    await page.reload();
    const row = tokenRow('deploy script');
    await row.getByText(/^last used (just now|\d+ s ago)$/).waitFor();
    await row.getByRole('link', { name: 'Activity' }).click();
    await until('only its actions are shown', async () => (await entries().count()) === 1);
    await until(
      'the log is scrolled into view',
      async () => (await placeOf(entries().first())).y < PAGE_OPTIONS.viewport.height,
    );
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
    expect((await fetch(`${session.daemon.url}/api/v1/stats`, { headers })).status).toBe(401);
  });
}
