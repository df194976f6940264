import type { Page } from 'playwright-core';
import type { Page as ListPage } from '../../src/contract/page';
import type { Target, TargetCreated } from '../../src/contract/target';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import { findings, hasFocus, lookAgain, panel, show } from '../support/browser/dashboard';
import { emit } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const AXE_WITHIN_MS = 240_000;

let stand: BrowserSession;
let daemon: Daemon;
let receiver: RecordingTarget;
let page: Page;
let number = 0;

beforeAll(async () => {
  stand = await BrowserSession.open();
  ({ daemon } = stand);
  receiver = stand.keep(await RecordingTarget.start());
  ({ page } = await stand.enter());
  for (const status of [1, 2, 3, 4]) await notify(status);
});

afterAll(() => stand?.close());

beforeEach(async () => {
  receiver.answer(200);
  receiver.hits.length = 0;
  const { data } = await daemon.get<ListPage<Target>>('/targets');
  for (const { id } of data) await daemon.request('DELETE', `/targets/${id}`);
});

/** A deal in this status. */
async function notify(status: number): Promise<void> {
  number += 1;
  await emit(daemon, 'deal.updated', { id: number, name: `Deal ${number}`, status_id: status });
}

async function addTarget(wanted: object): Promise<TargetCreated> {
  const { status, body } = await daemon.request('POST', '/targets', wanted);
  expect(status).toBe(201);
  return body as TargetCreated;
}

async function targetNamed(name: string): Promise<Target> {
  const { data } = await daemon.get<ListPage<Target>>('/targets');
  const found = data.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no target ${name}.`);
  return found;
}

const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const unfold = (title: string) => page.locator('summary').filter({ hasText: title }).click();

async function beginTarget(name: string): Promise<void> {
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
  it('tells of a filter what is wrong and where, and which stored events it matches', async () => {
    await beginTarget('filtered');
    await page.getByText(/Of the last \d+ stored events, 4 would match\./).waitFor();
    await unfold('Filter by content');
    const filter = field('Filter');
    await filter.fill('{"data.status_id": ');
    await page.getByText('Not valid JSON').first().waitFor();
    await filter.fill('{"data.status_id": {"$regex": "2"}, "$where": "1"}');
    await page.getByText('At data.status_id.$regex: not an operator', { exact: true }).waitFor();
    await page.getByText('At $where: not an operator that stands here').waitFor();
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Specific statuses' }).click();
    await page.getByText(/Of the last \d+ stored events, 2 would match\./).waitFor();
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

  it('tests the address with what is set, and saves nothing', async () => {
    await beginTarget('tried');
    await unfold('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).fill('X-Team');
    await page.getByLabel('Value of X-Team').fill('sales');
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText(/Test delivered: HTTP 200/).waitFor();
    expect(receiver.hits.map(({ headers }) => headers['x-team'])).toEqual(['sales']);
    receiver.answer(401);
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText(/Test failed: HTTP 401/).waitFor();
    await page.getByLabel('Address').fill('http://169.254.169.254/latest');
    await page.getByRole('button', { name: 'Test address' }).click();
    await page.getByText('url: targets may not have this address').waitFor();
    expect((await daemon.get<ListPage<Target>>('/targets')).data).toEqual([]);
  });

  it('writes the schedule of retries out as it is changed, and asks for what differs only', async () => {
    await beginTarget('patient');
    const asked = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/targets'),
    );
    await unfold('Retries');
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
    await unfold('Order');
    await page.getByRole('radio', { name: 'By entity' }).check();
    await page.getByRole('radio', { name: 'Stop' }).check();
    await save();
    const sent = JSON.parse((await asked).postData() ?? '') as { policy: object };
    expect(sent).not.toHaveProperty('backfill_since');
    expect(sent.policy).toEqual({
      ordering: 'entity',
      on_dead: 'stop',
      retry: { tries: 4, first_s: 600, factor: 2, cap_s: 21_600 },
      retry_on: { network: true, statuses: [429, '5xx'] },
    });
    expect((await targetNamed('patient')).policy).toMatchObject(sent.policy);
  });

  it('leads to what cannot be saved, though it is folded away', async () => {
    await beginTarget('hasty');
    await unfold('Delivery limits');
    await field('Timeout').fill('5 years');
    await page.getByText('Enter a duration with a unit').waitFor();
    await unfold('Delivery limits');
    await page.locator('form').getByLabel('Name').press('Enter');
    await page.getByText('Not saved. Fix the errors marked above.').waitFor();
    const timeout = field('Timeout');
    await timeout.fill('5 s');
    // What only the daemon knows stands beside its field as well.
    await unfold('Headers');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Header name' }).fill('Host');
    await page.getByLabel('Value of Host').fill('elsewhere');
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByText("host is not the operator's to set").waitFor();
    const name = page.getByRole('textbox', { name: 'Header name' });
    await until('the field is under the hand', () => hasFocus(name));
    await name.fill('X-Host');
    await page.getByText("host is not the operator's to set").waitFor({ state: 'detached' });
    await save();
    expect((await targetNamed('hasty')).policy.timeout_ms).toBe(5_000);
  });

  it('asks for what is stored since a time, where one is chosen', async () => {
    await beginTarget('from yesterday');
    await unfold('Start');
    await page.getByRole('radio', { name: 'From a point in time' }).check();
    const asked = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/targets'),
    );
    await page.getByLabel('Received since').fill('2026-01-02T03:04');
    await save();
    const sent = JSON.parse((await asked).postData() ?? '') as { backfill_since: string };
    const there = await page.evaluate(() => new Date('2026-01-02T03:04').toISOString());
    expect(sent.backfill_since).toBe(there);
    await until('all that is stored has arrived', () => receiver.hits.length === number);
  });

  it('never shows a secret header again, and keeps it where nothing else is typed', async () => {
    await beginTarget('guarded');
    await unfold('Headers');
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
    // The list of headers is sent as a whole, the secret's place in it without its value.
    await unfold('Headers');
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

  it('says before it is saved which secrets another origin wants again, and shows the new one once', async () => {
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
    await page.getByText('Different origin: enter the value of authorization again.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Not saved\./).waitFor();
    await page.getByLabel('Value of authorization').fill('Bearer given anew');
    await page.getByRole('button', { name: 'Save' }).click();
    const secret = await page.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(before);
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    expect(await page.content()).not.toContain(secret);
    await notify(1);
    await until('an event arrives', () => receiver.hits.length > 0);
    expect(receiver.hits[0]!.headers).toMatchObject({ authorization: 'Bearer given anew' });
  });

  it('says frankly what it means not to verify a certificate', async () => {
    await beginTarget('trusting');
    await unfold('Certificates');
    await page.getByRole('checkbox', { name: 'Skip certificate verification' }).check();
    await page.getByText('Anyone who can intercept traffic to this address receives the events.').waitFor();
    await save();
    const { id, tls } = await targetNamed('trusting');
    expect(tls).toEqual({ ca: null, cert: null, has_key: false, verify: false });
    await show(page, `/targets/${id}`);
    await page.getByText(/Its certificate is not verified: whoever can get between/).waitFor();
  });

  it('can be filled in and sent by the keyboard alone', async () => {
    await show(page, '/targets/new');
    const press = (key: string) => page.keyboard.press(key);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('by hand');
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
  it('tells why it is down, what waits and when it is probed, and that it is back', async () => {
    receiver.answer(503);
    const { id } = await addTarget({
      name: 'warehouse',
      url: receiver.url,
      policy: { breaker: { failures: 1, first_probe_s: 2, cap_s: 2 } },
    });
    await show(page, `/targets/${id}`);
    await page.getByText('Receiving and delivering events. No backlog.').waitFor();
    await notify(1);
    await notify(2);
    const state = panel(page, 'Status');
    await state.getByText(/Down: circuit breaker opened/).waitFor();
    await state.getByText(/The target answered 503\. 2 deliveries queued; retries are on hold/).waitFor();
    await state.getByText(/[1-9]\d* probes? failed so far; next probe/).waitFor();
    await panel(page, 'Errors').getByText('HTTP 503').waitFor();
    await show(page, '/targets');
    await page.getByText('Down', { exact: true }).waitFor();
    await page.getByText(/Circuit breaker opened .*: The target answered 503; next probe/).waitFor();
    await page.getByRole('link', { name: 'warehouse' }).click();
    receiver.answer(200);
    await state.getByText('No backlog.').waitFor();
    await page.getByText('Active', { exact: true }).waitFor();
  });

  it('says who paused it, gathers meanwhile, and sends all when it is resumed', async () => {
    receiver.answer(200);
    const { id } = await addTarget({ name: 'old shop', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByText(/Paused by the operator\. 0 deliveries queued/).waitFor();
    await notify(1);
    await page.getByText(/Paused by the operator\. 1 delivery queued/).waitFor();
    await notify(2);
    await page.getByText(/2 deliveries queued/).waitFor();
    await page.getByRole('button', { name: /^Resume/ }).click();
    await page.getByText('No backlog.').waitFor();
  });

  it('says that it is gone, and takes new events once it is switched on again', async () => {
    receiver.answer(410);
    const { id } = await addTarget({ name: 'closed shop', url: receiver.url });
    await show(page, `/targets/${id}`);
    await notify(1);
    const state = panel(page, 'Status');
    await state.getByText(/The target answered 410 Gone\. It receives no new events/).waitFor();
    await show(page, '/targets');
    await page.getByText('Gone', { exact: true }).waitFor();
    await page.getByText(/Disabled .*: The target answered 410 Gone/).waitFor();
    await page.getByRole('link', { name: 'closed shop' }).click();
    receiver.answer(200);
    await state.getByRole('button', { name: 'Enable' }).click();
    await state.getByText('No backlog.').waitFor();
    expect(await targetNamed('closed shop')).toMatchObject({ enabled: true, disabled: null });
  });

  it('asks before events pass it by for good', async () => {
    const { id } = await addTarget({ name: 'ledger', url: receiver.url });
    await show(page, `/targets/${id}`);
    const off = page.getByRole('button', { name: 'Disable' });
    await off.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('misses new events').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await targetNamed('ledger')).enabled).toBe(true);
    await off.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect((await targetNamed('ledger')).enabled).toBe(false);
    await page.getByRole('button', { name: 'Enable' }).click();
    await off.waitFor();
    expect((await targetNamed('ledger')).enabled).toBe(true);
  });

  it('rotates the secret: the new one is shown this once, and both sign for a while', async () => {
    const { id, secret: before } = await addTarget({ name: 'signed', url: receiver.url });
    await show(page, `/targets/${id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByLabel('Keep the old secret valid for').selectOption('1 hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const secret = await page.locator('[data-secret]').innerText();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(before);
    await page.getByText(/The old secret stays valid until .* \(in (59|60) min/).waitFor();
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await notify(1);
    await until('an event arrives', () => receiver.hits.length > 0);
    expect(String(receiver.hits[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('groups errors by kind, and narrows the deliveries by them in an address that can be shared', async () => {
    const { id } = await addTarget({
      name: 'picky',
      url: receiver.url,
      policy: { retry: { delays_s: [600] } },
    });
    await notify(1);
    await until('one is delivered', () => receiver.hits.length === 1);
    receiver.answer(404);
    await notify(2);
    await notify(3);
    await until('two are refused', () => receiver.hits.length === 3);
    await show(page, `/targets/${id}`);
    const rows = panel(page, 'Latest deliveries').getByRole('listitem');
    const refused = panel(page, 'Errors').getByRole('link').filter({ hasText: 'HTTP 404' });
    await refused.filter({ hasText: /404\s*2/ }).waitFor();
    await panel(page, 'Errors').getByText('2 of 3 attempts in the last 24 hours failed.').waitFor();
    await until('all are listed', async () => (await rows.count()) === 3);
    await refused.click();
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

  it('counts errors over an hour, a day or a week, also what came through since', async () => {
    const { id } = await addTarget({
      name: 'mended',
      url: receiver.url,
      policy: { retry: { delays_s: [3] } },
    });
    const errors = panel(page, 'Errors');
    await show(page, `/targets/${id}`);
    await errors.getByText('No attempts in the last 24 hours.').waitFor();
    receiver.answer(404);
    await notify(1);
    await until('it is refused', () => receiver.hits.length === 1);
    receiver.answer(200);
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

describe('the screens of targets', () => {
  it('fit a phone, and lose nothing to its edge', async () => {
    const { id } = await addTarget({
      name: 'a name of some length as names are',
      url: `${receiver.url}&with=${'a'.repeat(200)}`,
      headers: [{ name: 'authorization', value: 'x', secret: true }],
      filter: { 'data.some.rather.long.path.into.it': { $in: ['one', 'two', 'three'] } },
    });
    await lookAgain(page, { viewport: { width: 390, height: 844 } }, async (look) => {
      for (const path of ['/targets', `/targets/${id}`, '/targets/new']) {
        await show(look, path);
        if (path.endsWith(id)) await look.getByRole('button', { name: 'Edit' }).click();
        await unfoldAll(look);
        const wide = await look.evaluate(() =>
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
    'have nothing that axe finds, folded or unfolded (%s)',
    async (colorScheme) => {
      receiver.answer(503);
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
      await lookAgain(page, { colorScheme }, async (look) => {
        const judge = async (screen: string) =>
          expect({ screen, found: await findings(look) }).toEqual({ screen, found: [] });
        await show(look, '/targets');
        await judge('list');
        await show(look, `/targets/${down.id}`);
        await look.getByText(/Down: circuit breaker opened/).waitFor();
        await judge('target');
        await look.getByRole('button', { name: 'Rotate secret' }).click();
        await look.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
        await look.locator('[data-secret]').waitFor();
        await look.getByRole('button', { name: 'Edit' }).click();
        await unfoldAll(look);
        await judge('target, edited');
        await show(look, '/targets/new');
        await unfoldAll(look);
        await look.getByRole('textbox', { name: 'Filter', exact: true }).fill('{"$where": 1}');
        await look.getByText('At $where: not an operator that stands here').waitFor();
        await look.getByRole('textbox', { name: 'Timeout' }).fill('long');
        await look.getByRole('checkbox', { name: 'Skip certificate verification' }).check();
        await look.getByRole('button', { name: 'Add header' }).click();
        await judge('new target, unfolded');
      });
    },
    AXE_WITHIN_MS,
  );
});

/** Everything that is folded away on a screen, shown. */
async function unfoldAll(look: Page): Promise<void> {
  await look.getByText('Filter by content').or(look.getByRole('heading')).first().waitFor();
  await look.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}
