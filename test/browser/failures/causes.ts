import type { DeadLetterCauses } from '../../../src/contract/dead-letter';
import type { DeliveryJob } from '../../../src/contract/delivery';
import type { Page as ListPage } from '../../../src/contract/page';
import type { TargetCreated } from '../../../src/contract/target';
import {
  focusIsOnPage,
  hasFocus,
  holdRequests,
  navigationLink,
  press,
  show,
} from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { causeRow, daemon, deadLetters, notify, ordered, page, rejecting, untilDead } from './hub';

/** One attempt, so that a rejected delivery fails immediately. */
const ONE_ATTEMPT = { retry: { delays_s: [] }, breaker: null };

async function addTarget(name: string, url: string, more: object): Promise<TargetCreated> {
  const { status, body } = await daemon.request('POST', '/targets', { name, url, ...more });
  expect(status).toBe(201);
  return body as TargetCreated;
}

export function failuresScreen(): void {
  it('explains itself while there are no dead letters', async () => {
    await show(page, '/');
    await navigationLink(page, 'Failures').click();
    await page.getByRole('heading', { name: 'No failed deliveries' }).waitFor();
    await page.getByText('8 attempts over about 12 hours').waitFor();
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  });

  it('groups dead letters by cause, with advice', async () => {
    await addTarget('rejecting', rejecting.url, { policy: ONE_ATTEMPT, events: ['contact.*', 'task.*'] });
    await addTarget('in order', ordered.url, {
      policy: { ...ONE_ATTEMPT, ordering: 'entity' },
      events: ['deal.*'],
    });
    for (const type of ['contact.created', 'contact.updated', 'task.created', 'deal.created'])
      await notify(type);
    await untilDead(4);
    await show(page, '/failures');
    await page.getByText('4 dead letters').waitFor();
    const notFound = causeRow('HTTP 404');
    await notFound.getByText('Check the path in the target’s address.').waitFor();
    await notFound.getByRole('button', { name: /^Retry 3 for rejecting/ }).waitFor();
    const serverError = causeRow('HTTP 500');
    await serverError.getByText('This target is ordered; retries are sent out of order.').waitFor();
    await press(notFound.getByRole('button', { expanded: false }));
    const reasons = notFound.getByText('1 attempt', { exact: true });
    await until('each has its reason', async () => (await reasons.count()) === 3);
  });

  it('aligns the titles of causes, however many dead letters they have', async () => {
    await page.route('**/dead-letters/causes*', async (route) => {
      const response = await route.fetch();
      const causes = (await response.json()) as DeadLetterCauses;
      causes.data[0]!.deliveries = 12_345;
      await route.fulfill({ response, json: causes });
    });
    await page.reload();
    await page.getByText('12,345', { exact: true }).waitFor();
    const titles = await Promise.all(
      ['HTTP 404', 'HTTP 500'].map((words) => causeRow(words).getByText(words).first().boundingBox()),
    );
    // A poll may be in progress, which its handler has to answer.
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    expect(titles[0]!.x).toBe(titles[1]!.x);
  });

  it('shows the latest response of each cause as text, and when it was first and last seen', async () => {
    rejecting.respondWith((response) =>
      response.writeHead(404).end(`<b>no\u202e route</b> ${'x'.repeat(900)}`),
    );
    await show(page, '/failures?error=500');
    const single = causeRow('HTTP 500');
    await single.getByText(/^Latest response, /).waitFor();
    expect(await single.getByText(/^First seen /).count()).toBe(0);
    await show(page, '/failures?error=404');
    const group = causeRow('HTTP 404');
    await group.getByText(/^Latest response, .*: HTTP 404 without a body$/).waitFor();
    await group.getByRole('figure', { name: 'Last 24 hours: 3 of 3' }).waitFor();
    await group.getByText(/^First seen .* ago, last seen .* ago$/).waitFor();
  });

  it('asks before it retries many, shows how the target responds now, and sends one first', async () => {
    const before = rejecting.hits.length;
    await press(page.getByRole('button', { name: 'Retry all 3', exact: true }));
    const dialog = page.getByRole('dialog', { name: 'Retry 3 deliveries to rejecting?' });
    await dialog.getByText(/^rejecting: Last response: HTTP 404, .* ago\.$/).waitFor();
    expect(rejecting.hits).toHaveLength(before);
    await press(dialog.getByRole('button', { name: 'Send one first' }));
    await dialog.getByText(/Failed: HTTP 404/).waitFor();
    expect(await dialog.getByText('<b>no').textContent()).toContain('<b>no\\u202e route</b>');
    expect(rejecting.hits).toHaveLength(before + 1);
    await press(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'detached' });
    expect((await daemon.get<ListPage<DeliveryJob>>('/deliveries/jobs')).data).toEqual([]);
    const excerpt = causeRow('HTTP 404').getByText('<b>no');
    expect(await excerpt.textContent()).toMatch(/^<b>no\\u202e route<\/b> x{300,400}$/);
  });

  it('filters by target, error, type and time, with a shareable URL', async () => {
    await page.getByLabel('Target', { exact: true }).selectOption('rejecting');
    await page.getByText('3 dead letters').waitFor();
    await page.getByLabel('Event type').fill('contact.*');
    await page.getByText('2 dead letters').waitFor();
    const address = new URL(page.url());
    expect(address.searchParams.get('type')).toBe('contact.*');
    await page.reload();
    await page.getByText('2 dead letters').waitFor();
    expect(await page.getByLabel('Event type').inputValue()).toBe('contact.*');
    await page.getByRole('button', { name: 'Created: Any time' }).click();
    await page.getByLabel('Until').fill('2020-01-01 00:00');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
    await page.getByRole('link', { name: 'Clear filter' }).click();
    await page.getByText('4 dead letters').waitFor();
    await page.getByLabel('Error').selectOption('500');
    await page.getByText('1 dead letter', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
  });

  it('retries one by keyboard, confirms it, and keeps the focus', async () => {
    await show(page, '/failures?error=404');
    const [letter] = await deadLetters('&type=contact.created');
    rejecting.respondWith(204);
    await page.getByRole('button', { expanded: true }).waitFor();
    await page.getByRole('link', { name: 'task.created' }).waitFor();
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('contact.updated');
    await page.keyboard.press('k');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('task.created');
    await press(page.getByRole('button', { name: /^Retry contact\.created of contact:\d+ for rejecting$/ }));
    await page.getByText('contact.created was queued for rejecting again.').waitFor();
    await page.getByText('2 dead letters').waitFor();
    await until('it arrives', () => rejecting.of(letter!.event_id).length === 2);
    expect(rejecting.of(letter!.event_id)[1]!.headers['switchboard-trigger']).toBe('manual');
    expect(await focusIsOnPage(page)).toBe(true);
  });

  it('leaves the focus in a dialog that opens before the list is loaded again', async () => {
    const release = await holdRequests(page, /\/dead-letters\//);
    rejecting.respondWith(404);
    await press(page.getByRole('button', { name: /^Retry contact\.updated/ }));
    await page.getByText('contact.updated was queued for rejecting again.').waitFor();
    await press(page.getByRole('button', { name: /^Discard task\.created/ }));
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await until('the reason has the focus', () => hasFocus(reason));
    await release();
    await page.keyboard.type('resent', { delay: 100 });
    expect(await reason.inputValue()).toBe('resent');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
  });

  it('retries only the selected ones, in the background, and leaves the focus where the user moves it', async () => {
    await untilDead(3);
    rejecting.respondWith(204);
    const more = await notify('task.created');
    await until('it arrives', () => rejecting.of(more).length === 1);
    const before = rejecting.hits.length;
    await page.getByLabel('Select all 2').check();
    await page.getByText('2 selected').waitFor();
    await page.getByLabel(/^Select task\.created/).uncheck();
    await press(page.getByRole('button', { name: 'Retry 1', exact: true }));
    const release = await holdRequests(page, /\/dead-letters[/?]/);
    await press(page.getByRole('dialog').getByRole('button', { name: 'Retry 1', exact: true }));
    await page.getByText('1 dead letter retried.').last().waitFor();
    const hide = page.getByRole('button', { name: /^Hide/ });
    await page.getByRole('button', { name: /^Discard all/ }).focus();
    await page.keyboard.press('Shift+Tab');
    await release();
    await page.getByText('1 dead letter', { exact: true }).waitFor();
    expect(await hasFocus(hide)).toBe(true);
    await until('it arrives', () => rejecting.hits.length > before);
    expect(rejecting.hits).toHaveLength(before + 1);
    expect((await deadLetters('&error=404')).map(({ event_type: type }) => type)).toEqual(['task.created']);
    await page.keyboard.press('Enter');
    await until('it is gone', async () => (await page.getByText('1 dead letter retried.').count()) === 0);
  });

  it('asks for a reason before discarding, which the event’s page shows', async () => {
    const [letter] = await deadLetters('&error=404');
    await page.getByText('1 dead letter', { exact: true }).waitFor();
    await press(page.getByRole('button', { name: /^Discard task\.created/ }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It will not be retried and is removed from Failures.').waitFor();
    await until('the reason has the focus', () => hasFocus(dialog.getByLabel('Reason')));
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a reason').waitFor();
    expect(await deadLetters('&error=404')).toHaveLength(1);
    await page.keyboard.type('entered by hand');
    await page.keyboard.press('Enter');
    await page.getByText('task.created for rejecting was discarded.').waitFor();
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await until('the focus is on the page', () => focusIsOnPage(page));
    await show(page, `/events/${letter!.event_id}`);
    await page.getByText('Discarded: entered by hand').waitFor();
  });

  it('retries what the dialog counts, although more fail while it is open', async () => {
    rejecting.respondWith(404);
    for (const type of ['contact.first', 'contact.second']) await notify(type);
    await untilDead(3);
    await show(page, '/failures?error=404');
    await press(page.getByRole('button', { name: 'Retry all 2', exact: true }));
    const dialog = page.getByRole('dialog', { name: 'Retry 2 deliveries to rejecting?' });
    await notify('contact.third');
    await untilDead(4);
    rejecting.respondWith(204);
    expect(await page.getByRole('button', { name: 'Retry all 2', includeHidden: true }).count()).toBe(1);
    await press(dialog.getByRole('button', { name: 'Retry 2', exact: true }));
    await page.getByText('2 dead letters retried.').last().waitFor();
    expect((await deadLetters('&error=404')).map(({ event_type: type }) => type)).toEqual(['contact.third']);
    await page.getByRole('button', { name: 'Retry it', exact: true }).waitFor();
  });

  it('leaves to a replay of what failed only what is still a dead letter', async () => {
    await show(page, '/replays/new?step=start&outcome=dead');
    await page.getByText('Events that failed at a target', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Replay 2 events' }).waitFor();
    const [letter] = await deadLetters('&error=404');
    await daemon.request('POST', `/deliveries/${letter!.id}/retry`);
    await untilDead(1);
    await page.reload();
    await page.getByRole('button', { name: 'Replay 1 event' }).waitFor();
  });
}
