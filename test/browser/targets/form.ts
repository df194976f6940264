import type { Locator } from 'playwright-core';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Target } from '../../../src/contract/target';
import { accessibilityViolations, hasFocus, panel, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import {
  addTarget,
  daemon,
  expand,
  field,
  fillNewTarget,
  notify,
  number,
  page,
  receiver,
  save,
  section,
  targetNamed,
} from './hub';

const tabTo = async (control: Locator) => {
  for (let i = 0; i < 30 && !(await hasFocus(control)); i += 1) await page.keyboard.press('Tab');
};

export function formOfTarget(): void {
  it('adds a target for alerts with a preview and a test, by keyboard and without a secret', async () => {
    await show(page, '/targets/new');
    await page.getByLabel('Name').fill('team chat');
    await page.getByLabel('Format').selectOption('Slack');
    expect(await page.getByText('All Co-Pilot events').count()).toBe(0);
    await page.getByLabel('Message').getByText('"This is a test from Switchboard."').waitFor();
    await page.getByLabel('Preview').selectOption('It is resolved');
    await page.getByLabel('Message').getByText('"The test from Switchboard is over."').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await field('Address').fill(receiver.url);
    await page.getByRole('button', { name: 'Test address' }).press('Enter');
    await page.getByText('Test delivered').waitFor();
    await page.getByRole('button', { name: 'Add target' }).press('Enter');
    await panel(page, 'Send a test').getByRole('button', { name: 'Go to target' }).click();
    await panel(page, 'Message').getByLabel('Message', { exact: true }).waitFor();
    expect(await panel(page, 'Signing secret').count()).toBe(0);
    expect(await targetNamed('team chat')).toMatchObject({
      format: 'slack',
      events: ['relay.*'],
      policy: { ordering: 'strict' },
    });
    const [hit] = receiver.hits;
    expect(JSON.parse(hit!.body.toString())).toMatchObject({ blocks: expect.any(Array) });
  });

  it('tests the address with the current settings, without saving', async () => {
    await fillNewTarget('tested');
    await expand('Advanced');
    await expand('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).fill('X-Team');
    await page.getByLabel('Value of X-Team').fill('sales');
    await expand('Advanced');
    expect(await section('Advanced').innerText()).toMatch(/^Advanced\s+Headers: X-Team$/);
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText(/Test delivered: HTTP 200/).waitFor();
    expect(receiver.hits.map(({ headers }) => headers['x-team'])).toEqual(['sales']);
    receiver.respondWith(401);
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText(/Test failed: HTTP 401/).waitFor();
    await page.getByRole('textbox', { name: 'Address' }).fill('http://169.254.169.254/latest');
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText('url: this address is not allowed').waitFor();
    expect((await daemon.get<ListPage<Target>>('/targets')).data).toEqual([]);
  });

  it('describes the retry schedule while editing, and sends only changed settings', async () => {
    await fillNewTarget('patient');
    const creation = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/targets'),
    );
    await expand('Retries');
    await page.getByText(/8 attempts over about 12 h: immediately, then after 5 s, 30 s/).waitFor();
    await page.getByRole('radio', { name: 'Exponential backoff' }).check();
    await field('Attempts').fill('4');
    await field('First delay').fill('10 min');
    await field('Multiplier').fill('2');
    await page
      .getByText(/4 attempts over about 1.2 h: immediately, then after 10 min, 20 min and 40 min/)
      .waitFor();
    await page.getByRole('radio', { name: 'Specific statuses' }).check();
    await field('Statuses').fill('429, 5xx');
    await page.getByRole('radio', { name: 'By entity' }).check();
    await page.getByRole('radio', { name: 'Stop' }).check();
    await save();
    const sent = JSON.parse((await creation).postData() ?? '') as { policy: object };
    expect(sent).not.toHaveProperty('backfill_since');
    expect(sent.policy).toEqual({
      ordering: 'entity',
      on_dead: 'stop',
      retry: { attempts: 4, first_s: 600, factor: 2, cap_s: 21_600 },
      retry_on: { network: true, statuses: [429, '5xx'] },
    });
    expect((await targetNamed('patient')).policy).toMatchObject(sent.policy);
  });

  it('says which fields are empty, and focuses the first of them', async () => {
    await show(page, '/targets/new');
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Enter an address.').waitFor();
    await until('the name has the focus', () => hasFocus(field('Name')));
    await field('Name').fill('complete');
    await page.getByText('Enter a name.').waitFor({ state: 'detached' });
    await field('Name').press('Enter');
    await until('the address has the focus', () => hasFocus(field('Address')));
  });

  it('focuses an invalid field in a collapsed section', async () => {
    await fillNewTarget('hasty');
    await expand('Advanced');
    await expand('Delivery limits');
    await field('Timeout').fill('5 years');
    await page.getByText('Enter a duration with a unit').waitFor();
    await expand('Delivery limits');
    await field('Timeout').waitFor({ state: 'hidden' });
    // The form learns of it by an event, which comes later.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    await page.locator('form').getByLabel('Name').press('Enter');
    await page.getByText('Not saved. Fix the errors marked above.').waitFor();
    const timeout = field('Timeout');
    await timeout.fill('5 s');
    // Errors of the daemon are shown at their field too.
    await expand('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).fill('Host');
    await page.getByLabel('Value of Host').fill('elsewhere');
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByText('host is set by Switchboard').waitFor();
    const name = page.getByRole('textbox', { name: 'Header name' });
    await until('the field has the focus', () => hasFocus(name));
    await name.fill('X-Host');
    await page.getByText('host is set by Switchboard').waitFor({ state: 'detached' });
    await save();
    expect((await targetNamed('hasty')).policy.timeout_ms).toBe(5_000);
  });

  it('requests a backfill if a start time is selected', async () => {
    await fillNewTarget('from yesterday');
    await expand('Start');
    await page.getByRole('radio', { name: 'From a point in time' }).check();
    const creation = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/targets'),
    );
    await page.getByLabel('Received since').fill('2026-01-02T03:04');
    await save();
    const sent = JSON.parse((await creation).postData() ?? '') as { backfill_since: string };
    const there = await page.evaluate(() => new Date('2026-01-02T03:04').toISOString());
    expect(sent.backfill_since).toBe(there);
    await until('all stored events have arrived', () => receiver.hits.length === number);
  });

  it('never shows a secret header again, and keeps it if the field is empty', async () => {
    await fillNewTarget('guarded');
    await expand('Advanced');
    await expand('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).fill('Authorization');
    await page.getByRole('checkbox', { name: 'Secret: Authorization' }).check();
    await page.getByLabel('Value of Authorization').fill('Bearer hidden');
    await save();
    const { id, headers } = await targetNamed('guarded');
    expect(headers).toEqual([{ name: 'authorization', value: null, secret: true }]);
    await show(page, `/targets/${id}`);
    await page.getByText('authorization (secret)').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('guarded well');
    // The whole list of headers is sent, with the secret one without its value.
    await expand('Advanced');
    await expand('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).last().fill('X-Team');
    await page.getByLabel('Value of X-Team').fill('sales');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'guarded well' }).waitFor();
    expect(await page.content()).not.toContain('Bearer hidden');
    await notify(1);
    await until('an event arrives', () => receiver.hits.length > 0);
    expect(receiver.hits[0]!.headers).toMatchObject({ authorization: 'Bearer hidden', 'x-team': 'sales' });
  });

  it('sets further signatures, and shows the public key with the secret', async () => {
    await fillNewTarget('signed');
    await expand('Advanced');
    await expand('Signatures');
    await page.getByRole('textbox', { name: 'Signature header' }).fill('X-Own');
    await page.getByLabel('Form of the signature').selectOption('{base64}');
    await page.getByRole('checkbox', { name: 'Also sign with Ed25519' }).check();
    await save();
    await page.getByRole('tab', { name: 'Verify in Node, x-own' }).waitFor();
    const { id, signature, public_key: key } = await targetNamed('signed');
    expect(signature).toEqual({ header: 'x-own', form: '{base64}' });
    await show(page, `/targets/${id}`);
    await page.getByText(key!).waitFor();
    await page.getByText('Standard Webhooks with Ed25519; x-own: <base64>').waitFor();
  });

  it('lists the secrets to enter again for another origin before saving, and shows the new secret once', async () => {
    const { id, secret: before } = await addTarget({
      name: 'moving',
      url: 'http://127.0.0.1:9/hook',
      headers: [{ name: 'authorization', value: 'Bearer hidden', secret: true }],
    });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/another');
    expect(await page.getByText(/Its secrets are not carried over/).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
    await page
      .getByText(/different origin than http:\/\/127\.0\.0\.1:9\. Its secrets are not carried over/)
      .waitFor();
    await page.getByText('Different address: enter the value of authorization again.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Not saved\./).waitFor();
    await page.getByLabel('Value of authorization').fill('Bearer entered again');
    await page.getByRole('button', { name: 'Save' }).click();
    const secret = await page.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(before);
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    expect(await page.content()).not.toContain(secret);
    await notify(1);
    await until('an event arrives', () => receiver.hits.length > 0);
    expect(receiver.hits[0]!.headers).toMatchObject({ authorization: 'Bearer entered again' });
  });

  it('warns about skipping certificate verification', async () => {
    await fillNewTarget('trusting');
    await expand('Advanced');
    await expand('Certificates');
    await page.getByRole('checkbox', { name: 'Skip certificate verification' }).check();
    await page.getByText('Anyone who can intercept traffic to this address receives the events.').waitFor();
    await save();
    const { id, tls } = await targetNamed('trusting');
    expect(tls).toEqual({ ca: null, cert: null, has_key: false, verify: false });
    await show(page, `/targets/${id}`);
    await page.getByText(/The certificate is not verified: an attacker in the network/).waitFor();
  });

  it('can be filled in and submitted by keyboard', async () => {
    await show(page, '/targets/new');
    await page.getByLabel('Name').focus();
    await page.keyboard.type('by hand');
    await tabTo(page.getByRole('textbox', { name: 'Address' }));
    await page.keyboard.type(receiver.url);
    await tabTo(page.getByRole('radio', { name: 'None' }));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Strict' }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('[data-secret]').waitFor();
    expect((await targetNamed('by hand')).policy.ordering).toBe('strict');
  });
}
