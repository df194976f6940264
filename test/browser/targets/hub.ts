import type { Page } from 'playwright-core';
import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Target, TargetCreated } from '../../../src/contract/target';
import { BrowserSession } from '../../support/browser/browser-session';
import { show } from '../../support/browser/dashboard';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

let session: BrowserSession;
export let daemon: Daemon;
export let receiver: RecordingTarget;
export let page: Page;
/** Of the events that were sent. */
export let number = 0;

/** Starts a connected hub with four deals and a receiver, and deletes its targets before each test. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon } = session);
    receiver = session.closeLater(await RecordingTarget.start());
    ({ page } = await session.enter({ timezoneId: 'Asia/Tokyo' }));
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
}

/** Sends a deal in the given status, a new one unless its id is given. */
export async function notify(status: number, deal?: number): Promise<void> {
  number += 1;
  const id = deal ?? number;
  await emit(daemon, 'deal.updated', { id, name: `Deal ${id}`, status_id: status });
}

export async function addTarget(input: object): Promise<TargetCreated> {
  const { status, body } = await daemon.request('POST', '/targets', input);
  expect(status).toBe(201);
  return body as TargetCreated;
}

export async function targetNamed(name: string): Promise<Target> {
  const { data } = await daemon.get<ListPage<Target>>('/targets');
  const found = data.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no target ${name}.`);
  return found;
}

export const row = (name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

export const field = (name: string) => page.getByRole('textbox', { name, exact: true });

export async function fillNewTarget(name: string): Promise<void> {
  await show(page, '/targets/new');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
}

/** The summary of a section of the form. */
export const section = (title: string) =>
  page.locator('summary').filter({ has: page.getByText(title, { exact: true }) });

/** Expands a section of the form, or collapses it. */
export const expand = (title: string) => section(title).click();

/** Saves a new target and waits for its secret. */
export async function save(): Promise<string> {
  await page.getByRole('button', { name: 'Add target' }).click();
  return page.locator('[data-secret]').innerText();
}
