import type { Page } from 'playwright-core';
import type { EventSummary } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Target, TargetCreated } from '../../src/contract/target';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import {
  accessibilityViolations,
  hasFocus,
  holdRequests,
  withLook,
  panel,
  show,
} from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const AXE_WITHIN_MS = 240_000;

let session: BrowserSession;
let daemon: Daemon;
let receiver: RecordingTarget;
let page: Page;
let number = 0;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  receiver = session.closeLater(await RecordingTarget.start());
  ({ page } = await session.enter());
  for (const status of [1, 2, 3, 4]) await notify(status);
  // Previews show these too.
  await until('the connection is reported', async () => {
    const { data } = await daemon.get<ListPage<EventSummary>>('/events?type=relay.subscription.active');
    return data.length === 1;
  });
});

afterAll(() => session?.close());

beforeEach(async () => {
  receiver.respondWith(200);
  receiver.hits.length = 0;
  const { data } = await daemon.get<ListPage<Target>>('/targets');
  for (const { id } of data) await daemon.request('DELETE', `/targets/${id}`);
});

/** Sends a deal in the given status. */
async function notify(status: number): Promise<void> {
  number += 1;
  await emit(daemon, 'deal.updated', { id: number, name: `Deal ${number}`, status_id: status });
}

async function addTarget(input: object): Promise<TargetCreated> {
  const { status, body } = await daemon.request('POST', '/targets', input);
  expect(status).toBe(201);
  return body as TargetCreated;
}

async function targetNamed(name: string): Promise<Target> {
  const { data } = await daemon.get<ListPage<Target>>('/targets');
  const found = data.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no target ${name}.`);
  return found;
}

const row = (name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const namesInList = () => page.locator('tbody [data-row]').allInnerTexts();
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const expand = (title: string) =>
  page
    .locator('summary')
    .filter({ has: page.getByText(title, { exact: true }) })
    .click();

/** Waits until the page of a target says that everything is delivered. */
const untilDelivered = () =>
  until('nothing is queued', async () =>
    /Queued\s+0\s+In flight\s+0\s/.test(await panel(page, 'Status').innerText()),
  );

async function fillNewTarget(name: string): Promise<void> {
  await show(page, '/targets/new');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Address').fill(receiver.url);
}

/** Saves a new target and waits for its secret. */
async function save(): Promise<string> {
  await page.getByRole('button', { name: 'Add target' }).click();
  return page.locator('[data-secret]').innerText();
}

describe('the form of a target', () => {
  it('builds a filter from the fields of stored payloads without JSON, and tests it with the newest match', async () => {
    await fillNewTarget('chosen');
    await page.getByRole('radio', { name: 'Selected events' }).check();
    expect(
      await page.getByRole('group', { name: 'What' }).locator('input[type=checkbox]:checked').count(),
    ).toBe(0);
    await page.getByRole('combobox', { name: 'Patterns' }).fill('deal.*');
    await page.keyboard.press('Enter');
    await page.getByText(/, 4 would match, \d+ would not\./).waitFor();

    await page.getByRole('button', { name: 'Add condition' }).click();
    const path = page.getByLabel('Field of condition 1');
    await path.fill('status_id');
    await page.getByText('None of the newest stored events has status_id.').waitFor();
    await page.getByRole('button', { name: 'Did you mean data.status_id?' }).click();
    expect(await path.inputValue()).toBe('data.status_id');
    const suggestion = await page.locator('datalist option[value="data.status_id"]').textContent();
    expect(suggestion).toMatch(/^number: \d, \d$/);
    await page.getByLabel('Operator of condition 1').selectOption('at least');
    await page.getByLabel('Value of condition 1').fill('3');
    await page.getByText(/, 2 would match, \d+ would not\./).waitFor();

    // What is shown meanwhile is of the previous condition.
    const test = page.getByRole('button', { name: 'Send the newest match as a test' });
    expect(await test.isEnabled()).toBe(true);
    const release = await holdRequests(page, /\/filters\/preview/);
    await page.getByLabel('Value of condition 1').fill('4');
    const isOff = () => test.evaluate((button) => button.matches(':disabled, [aria-disabled=true]'));
    expect(await isOff()).toBe(true);
    await release();
    await page.getByText(/, 1 would match, \d+ would not\./).waitFor();
    await until('the button can be pressed', async () => !(await isOff()));
    await page.getByLabel('Value of condition 1').fill('3');
    await page.getByText(/, 2 would match, \d+ would not\./).waitFor();

    // The two views stay in step.
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(JSON.parse(await field('Filter').inputValue())).toEqual({ 'data.status_id': { $gte: 3 } });
    await field('Filter').fill('{"$or": [{"data.status_id": 4}, {"data.name": "nobody"}]}');
    await page.getByRole('tab', { name: 'Conditions' }).click();
    expect(await page.getByLabel('How the conditions combine').inputValue()).toBe('any');
    expect(await page.getByLabel('Value of condition 2').inputValue()).toBe('nobody');
    await page.getByRole('button', { name: 'Remove condition 2' }).click();
    await page.getByText(/, 1 would match, \d+ would not\./).waitFor();

    await page.getByRole('button', { name: 'Send the newest match as a test' }).click();
    await page.getByText(/Test delivered: HTTP 200/).waitFor();
    const [hit] = receiver.hits;
    expect(hit!.headers['switchboard-trigger']).toBe('test');
    expect(JSON.parse(String(hit!.body))).toMatchObject({ data: { name: 'Deal 4', status_id: 4 } });
    await save();
    expect(await targetNamed('chosen')).toMatchObject({
      events: ['deal.*'],
      filter: { 'data.status_id': 4 },
    });
  });

  it(
    'adds a target for alerts with a preview and a test, by keyboard and without a secret',
    async () => {
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
    },
    AXE_WITHIN_MS,
  );

  it('shows where a filter is wrong, and which stored events it matches', async () => {
    await fillNewTarget('filtered');
    await page.getByText(/Of the last \d+ stored events, 4 would match, \d+ would not\./).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const filter = field('Filter');
    await filter.fill('{"data.status_id": ');
    await page.getByText('Not valid JSON').first().waitFor();
    await filter.fill('{"data.status_id": {"$regex": "2"}, "$where": "1"}');
    await page.getByText('At data.status_id.$regex: unknown operator', { exact: true }).waitFor();
    await page.getByText('At $where: unknown operator').waitFor();
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Specific statuses' }).click();
    await page.getByText(/Of the last \d+ stored events, 2 would match, \d+ would not\./).waitFor();
    await page.getByText('Show the newest 2').click();
    await page.getByRole('list', { name: 'Matching events' }).getByText('Deal 3').waitFor();
    await save();
    expect((await targetNamed('filtered')).filter).toEqual({ 'data.status_id': { $in: [2, 3] } });
    await notify(1);
    await notify(2);
    await until('the matching event arrives', () => receiver.hits.length > 0);
    const bodies = receiver.hits.map(({ body }) => JSON.parse(body.toString()) as { data: object });
    expect(bodies.map(({ data }) => data)).toEqual([expect.objectContaining({ status_id: 2 })]);
  });

  it('tests the address with the current settings, without saving', async () => {
    await fillNewTarget('tested');
    await expand('Advanced');
    await expand('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).fill('X-Team');
    await page.getByLabel('Value of X-Team').fill('sales');
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText(/Test delivered: HTTP 200/).waitFor();
    expect(receiver.hits.map(({ headers }) => headers['x-team'])).toEqual(['sales']);
    receiver.respondWith(401);
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText(/Test failed: HTTP 401/).waitFor();
    await page.getByLabel('Address').fill('http://169.254.169.254/latest');
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
    await expand('Order');
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
    const press = (key: string) => page.keyboard.press(key);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('by hand');
    await press('Tab');
    await press('Tab');
    await page.keyboard.type(receiver.url);
    for (let i = 0; i < 30 && !(await hasFocus(page.locator('summary').filter({ hasText: 'Order' }))); i += 1)
      await press('Tab');
    await press('Enter');
    await press('Tab');
    await press('ArrowDown');
    await press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Strict' }).isChecked()).toBe(true);
    await press('Enter');
    await page.locator('[data-secret]').waitFor();
    expect((await targetNamed('by hand')).policy.ordering).toBe('strict');
  });
});

describe('the page of a target', () => {
  it('says that a dead letter blocks later deliveries, and leads to it', async () => {
    receiver.respondWith(400);
    const { id } = await addTarget({
      name: 'ordered shop',
      url: receiver.url,
      policy: { ordering: 'strict', on_dead: 'stop', retry: { delays_s: [] }, breaker: null },
    });
    await notify(1);
    await notify(2);
    const blocked = 'Later deliveries are blocked by 1 dead letter: retry or discard it';
    await show(page, '/targets');
    await page
      .getByRole('row', { name: /ordered shop/ })
      .getByText(blocked)
      .waitFor();
    await show(page, `/targets/${id}`);
    await panel(page, 'Status').getByText(blocked).waitFor();
    await panel(page, 'Status').getByRole('link', { name: 'retry or discard it' }).click();
    await page.getByText(/It blocks its lane: later deliveries are queued/).waitFor();
    expect(page.url()).toContain(`/failures?target=${id}`);

    const [waiting, dead] = (await daemon.get<ListPage<EventSummary>>('/events?type=deal.*&limit=2')).data;
    await show(page, `/events/${waiting!.id}`);
    await page.getByRole('link', { name: dead!.id }).click();
    await page.getByText('Later deliveries in its lane are blocked.').waitFor();
    await show(page, '/');
    await page.getByText(/Deliveries to ordered shop .* until then they block later deliveries\./).waitFor();
  });

  it('shows why the target is down, its backlog and next probe, and its recovery', async () => {
    receiver.respondWith(503);
    const { id } = await addTarget({
      name: 'warehouse',
      url: receiver.url,
      policy: { breaker: { failures: 1, first_probe_s: 2, cap_s: 2 } },
    });
    await show(page, `/targets/${id}`);
    await page.getByText('Receiving and delivering events.').waitFor();
    await notify(1);
    await notify(2);
    const state = panel(page, 'Status');
    await state.getByText(/Down: circuit breaker opened/).waitFor();
    await state.getByText(/HTTP 503\. 2 deliveries queued; retries are on hold/).waitFor();
    await state.getByText(/[1-9]\d* probes? failed so far; next probe/).waitFor();
    await panel(page, 'Errors').getByText('HTTP 503').waitFor();
    await show(page, '/targets');
    await page.getByText('Down', { exact: true }).waitFor();
    await page.getByText(/Circuit breaker opened .*: HTTP 503; next probe/).waitFor();
    await page.getByRole('link', { name: 'warehouse' }).click();
    receiver.respondWith(200);
    await untilDelivered();
    await page.getByText('Active', { exact: true }).waitFor();
  });

  it('shows a pause, queues deliveries meanwhile, and sends them on resume', async () => {
    receiver.respondWith(200);
    const { id } = await addTarget({ name: 'old shop', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/Paused manually\. 0 deliveries queued/).waitFor();
    expect((await targetNamed('old shop')).paused).not.toBeNull();
    await notify(1);
    await page.getByText(/Paused manually\. 1 delivery queued/).waitFor();
    await notify(2);
    await page.getByText(/2 deliveries queued/).waitFor();
    await page.getByRole('button', { name: /^Resume/ }).click();
    await untilDelivered();
  });

  it('shows that the target is gone, and receives events again once enabled', async () => {
    receiver.respondWith(410);
    const { id } = await addTarget({ name: 'closed shop', url: receiver.url });
    await show(page, `/targets/${id}`);
    await notify(1);
    const state = panel(page, 'Status');
    await state.getByText(/HTTP 410 Gone\. It receives no new events/).waitFor();
    await show(page, '/targets');
    await page.getByText('Gone', { exact: true }).waitFor();
    await page.getByText(/Disabled .*: HTTP 410 Gone/).waitFor();
    await show(page, '/');
    await page.getByText('Target disabled: closed shop is disabled').waitFor();
    await show(page, `/targets/${id}`);
    expect(await page.getByRole('button', { name: /^Pause/ }).count()).toBe(0);
    expect((await targetNamed('closed shop')).warnings).toEqual([]);
    receiver.respondWith(200);
    await state.getByRole('button', { name: 'Enable' }).click();
    await state.getByText('Receiving and delivering events.').waitFor();
    expect(await targetNamed('closed shop')).toMatchObject({ enabled: true, disabled: null });
  });

  it('asks before the target is disabled', async () => {
    const { id } = await addTarget({ name: 'ledger', url: receiver.url });
    await show(page, `/targets/${id}`);
    const disable = page.getByRole('button', { name: 'Disable' });
    await disable.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('misses new events').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await targetNamed('ledger')).enabled).toBe(true);
    await disable.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect((await targetNamed('ledger')).enabled).toBe(false);
    await page.getByRole('button', { name: 'Enable' }).click();
    await disable.waitFor();
    expect((await targetNamed('ledger')).enabled).toBe(true);
  });

  it('rotates the secret, which is shown once, and signs with both for a while', async () => {
    const { id, secret: before } = await addTarget({ name: 'signed', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByLabel('Keep the old secret valid for').selectOption('1 hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const secret = await page.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(before);
    await page.getByText(/The old secret stays valid until .* \(in (1 h|59 min)/).waitFor();
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await notify(1);
    await until('an event arrives', () => receiver.hits.length > 0);
    expect(String(receiver.hits[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('groups errors, and filters the deliveries by them with a shareable URL', async () => {
    const { id } = await addTarget({
      name: 'picky',
      url: receiver.url,
      policy: { retry: { delays_s: [600] } },
    });
    await notify(1);
    await until('one is delivered', () => receiver.hits.length === 1);
    receiver.respondWith(404);
    await notify(2);
    await notify(3);
    await until('two are rejected', () => receiver.hits.length === 3);
    await show(page, `/targets/${id}`);
    const rows = panel(page, 'Latest deliveries').getByRole('listitem');
    const notFound = panel(page, 'Errors').getByRole('link').filter({ hasText: 'HTTP 404' });
    await notFound.filter({ hasText: /404\s*2/ }).waitFor();
    await panel(page, 'Errors').getByText('2 of 3 attempts in the last 24 hours failed.').waitFor();
    await until('all are listed', async () => (await rows.count()) === 3);
    await notFound.click();
    await until('two are left', async () => (await rows.count()) === 2);
    expect(new URL(page.url()).search).toBe('?error=404');
    await show(page, `/targets/${id}?status=succeeded`);
    await rows.filter({ hasText: 'Delivered' }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.getByLabel('Status', { exact: true }).last().inputValue()).toBe('succeeded');
    await page.getByRole('textbox', { name: 'Event type' }).fill('task.*');
    await page.keyboard.press('Enter');
    await page.getByText('No deliveries match').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await until('all are listed again', async () => (await rows.count()) === 3);
  });

  it('counts errors over an hour, a day or a week, including those of deliveries that succeeded since', async () => {
    const { id } = await addTarget({
      name: 'recovered',
      url: receiver.url,
      policy: { retry: { delays_s: [3] } },
    });
    const errors = panel(page, 'Errors');
    await show(page, `/targets/${id}`);
    await errors.getByText('No attempts in the last 24 hours.').waitFor();
    receiver.respondWith(404);
    await notify(1);
    await until('it is rejected', () => receiver.hits.length === 1);
    receiver.respondWith(200);
    await errors.getByText('1 of 2 attempts in the last 24 hours failed.').waitFor();
    await errors.getByRole('link', { name: 'Week' }).click();
    await errors.getByText('1 of 2 attempts in the last 7 days failed.').waitFor();
    await errors.getByRole('link', { name: 'HTTP 404' }).click();
    await page.getByText(/have since succeeded/).waitFor();
    expect(new URL(page.url()).search).toBe('?error=404&errors=week');
    await page.getByRole('link', { name: 'Show all' }).click();
    await panel(page, 'Latest deliveries').getByRole('listitem').waitFor();
    expect(new URL(page.url()).search).toBe('?errors=week');
    await show(page, `/targets/${id}?errors=hour`);
    await errors.getByText('1 of 2 attempts in the last hour failed.').waitFor();
  });
});

describe('the list of targets', () => {
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
    await row('quiet').getByText('no attempts').waitFor();
    expect(await row('quiet').getByText('With a filter').count()).toBe(0);
    expect(await namesInList()).toEqual(['importer', 'quiet']);
    await page.getByRole('link', { name: 'Target', exact: true }).click();
    await page.getByRole('link', { name: 'Target', exact: true }).click();
    await page.waitForURL(/\?sort=-name$/);
    await until('the order', async () => (await namesInList()).join() === 'quiet,importer');
    expect(await page.locator('th[aria-sort=descending]').innerText()).toBe('Target');

    await show(page, `/targets/${id}`);
    await panel(page, 'Status').getByText('10 of 10 attempts in the last hour failed.').waitFor();
    await show(page, '/events');
    await page
      .getByLabel('Target', { exact: true })
      .getByRole('option', { name: 'importer (Failing)' })
      .waitFor({ state: 'attached' });
    await show(page, '/');
    await page.getByRole('region', { name: 'Targets' }).getByText('Failing', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'What needs attention' })
      .getByText(/importer is failing since .*: all 10 attempts failed, the last with HTTP/)
      .waitFor();
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
      .getByText(/Database upgrade just now, resumes in 4 h/)
      .waitFor();
    expect(await targetNamed('two')).toMatchObject({ paused: { reason: 'Database upgrade' } });
    expect((await targetNamed('three')).paused).toBeNull();
    await page.getByRole('button', { name: 'Resume all' }).click();
    await until('all are resumed', async () => (await targetNamed('two')).paused === null);
    await addTarget({ name: 'on call', url: receiver.url, events: ['relay.*'] });
    await row('on call').waitFor();
    await page.getByRole('button', { name: 'Pause all' }).click();
    await dialog.getByText(/^Targets for alerts stay active.*: on call\./).waitFor();
    await dialog.getByRole('combobox', { name: 'For' }).selectOption('Until a time…');
    await dialog.getByRole('textbox', { name: 'Until' }).fill('2099-01-02 10:00');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await until('all are paused', async () => (await targetNamed('three')).paused !== null);
    expect((await targetNamed('three')).paused?.until).toMatch(/^2099-01-0[123]T\d\d:00:00\.000Z$/);
    await row('three').getByText('Paused', { exact: true }).waitFor();
    expect((await targetNamed('on call')).paused).toBeNull();
    expect(await page.getByRole('button', { name: 'Pause all' }).count()).toBe(0);
  });
});

describe('the screens of targets', () => {
  it('have no horizontal overflow on a phone, and no broken ages', async () => {
    receiver.respondWith(503);
    await addTarget({ name: 'queueing', url: receiver.url });
    await notify(1);
    const { id } = await addTarget({
      name: 'a name of some length as names are',
      url: `${receiver.url}&with=${'a'.repeat(200)}`,
      headers: [{ name: 'authorization', value: 'x', secret: true }],
      filter: { 'data.some.rather.long.path.into.it': { $in: ['one', 'two', 'three'] } },
    });
    await withLook(page, { viewport: { width: 390, height: 844 } }, async () => {
      await show(page, '/targets');
      const backlog = page.getByRole('row').filter({ hasText: 'queueing' });
      const age = backlog.getByText(/^oldest \d+ s$/);
      const lines = await age.evaluate((element) => {
        Object.assign(element.parentElement!.style, { display: 'inline-block', width: 'min-content' });
        return new Set([...element.getClientRects()].map(({ top }) => top)).size;
      });
      expect(lines).toBe(1);
      for (const path of ['/targets', `/targets/${id}`, '/targets/new']) {
        await show(page, path);
        if (path.endsWith(id)) await page.getByRole('button', { name: 'Edit' }).click();
        await expandAll();
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll('main, main *')]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .filter((element) => element.closest('[data-scrollable], .mantine-VisuallyHidden-root') === null)
            .map((element) => element.outerHTML.slice(0, 120)),
        );
        expect({ path, wide }).toEqual({ path, wide: [] });
      }
    });
  });

  it.each(['light', 'dark'] as const)(
    'have no accessibility violations, collapsed or expanded (%s)',
    async (colorScheme) => {
      receiver.respondWith(503);
      const down = await addTarget({
        name: 'down',
        url: receiver.url,
        filter: { 'data.status_id': 1 },
        headers: [{ name: 'authorization', value: 'x', secret: true }],
        tls: { verify: false },
        policy: { breaker: { failures: 1, first_probe_s: 600, cap_s: 600 }, ordering: 'entity' },
      });
      await notify(1);
      await until('it is down', async () => (await targetNamed('down')).breaker !== null);
      await withLook(page, { colorScheme }, async () => {
        const expectAccessible = async (screen: string) =>
          expect({ screen, found: await accessibilityViolations(page) }).toEqual({ screen, found: [] });
        await show(page, '/targets');
        await expectAccessible('list');
        await show(page, `/targets/${down.id}`);
        await page.getByText(/Down: circuit breaker opened/).waitFor();
        await expectAccessible('target');
        await page.getByRole('button', { name: 'Rotate secret' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
        await page.locator('[data-secret]').waitFor();
        await page.getByRole('button', { name: 'Edit' }).click();
        await expandAll();
        await expectAccessible('target, edited');
        await show(page, '/targets/new');
        await expandAll();
        await page.getByRole('button', { name: 'Add group' }).click();
        await expectAccessible('new target, with conditions');
        await page.getByRole('tab', { name: 'JSON' }).click();
        await page.getByRole('textbox', { name: 'Filter', exact: true }).fill('{"$where": 1}');
        await page.getByText('At $where: unknown operator').waitFor();
        await page.getByRole('textbox', { name: 'Timeout' }).fill('long');
        await page.getByRole('checkbox', { name: 'Skip certificate verification' }).check();
        await page.getByRole('button', { name: 'Add header' }).click();
        await expectAccessible('new target, expanded');
      });
    },
    AXE_WITHIN_MS,
  );
});

/** Expands all sections of a screen. */
async function expandAll(): Promise<void> {
  await page.getByText('Filter by content').or(page.getByRole('heading')).first().waitFor();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}
