import type { Page } from 'playwright-core';
import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import { BrowserSession } from '../../support/browser/browser-session';
import { Daemon } from '../../support/daemon/daemon';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

export const PHONE = { width: 390, height: 844 };
let session: BrowserSession;
export let daemon: Daemon;
export let target: RecordingTarget;
export let page: Page;

/** Starts a hub with a target, and opens its dashboard. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon } = session);
    target = session.closeLater(await RecordingTarget.start());
    ({ page } = await session.enter());
  });

  afterAll(() => session?.close());
}

export const rows = () => page.getByRole('list', { name: 'Matching events' }).getByRole('listitem');

export const search = () => new URL(page.url()).search;

export const rowsAre = (count: number) =>
  until(`${count} rows`, async () => (await rows().count()) === count);

export const rowsAreAll = async () =>
  rowsAre((await daemon.get<ListPage<EventSummary>>('/events?limit=200&origin=copilot')).data.length);
