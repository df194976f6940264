import type { Page } from 'playwright-core';
import type { Target } from '../../../src/contract/target';
import { BrowserSession } from '../../support/browser/browser-session';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

let session: BrowserSession;
export let daemon: Daemon;
export let orders: RecordingTarget;
export let ordersId: string;
export let page: Page;
let number = 0;

/** Starts a hub with one target, which has received an event, and opens its overview. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon } = session);
    orders = session.closeLater(await RecordingTarget.start());
    ({ id: ordersId } = await daemon.addTarget('orders', orders.url));
    await notify('Harbour lights');
    await until('it is delivered', () => orders.hits.length > 0);
    ({ page } = await session.enter({ timezoneId: 'Asia/Tokyo' }));
  });

  afterAll(() => session?.close());
}

/** Sends a notification with the given entity name. */
export async function notify(name: string): Promise<void> {
  number += 1;
  await emit(daemon, 'deal.updated', { id: number, name });
}

export const urlOf = (path: string) => new URL(path, page.url()).href;

export const attention = () => page.getByRole('region', { name: 'What needs attention' });

export const metrics = () => page.getByRole('region', { name: 'Key metrics' });

export const traffic = () => page.getByRole('region', { name: 'Traffic', exact: true });

export const card = (name: string) =>
  page.getByRole('region', { name: 'Targets' }).getByRole('listitem').filter({ hasText: name });

export const headline = (text: string | RegExp) => attention().getByRole('heading', { name: text }).waitFor();

export const target = (id: string) => daemon.get<Target>(`/targets/${id}`);

export const rangeButton = () => traffic().getByRole('button', { name: /^Time range: / });

export async function selectRange(name: string): Promise<void> {
  await rangeButton().click();
  await page.getByRole('dialog', { name: 'Time range' }).getByRole('button', { name, exact: true }).click();
}
