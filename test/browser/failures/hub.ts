import type { Page } from 'playwright-core';
import type { Delivery } from '../../../src/contract/delivery';
import type { Page as ListPage } from '../../../src/contract/page';
import { BrowserSession } from '../../support/browser/browser-session';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

let session: BrowserSession;
export let daemon: Daemon;
export let rejecting: RecordingTarget;
export let ordered: RecordingTarget;
export let page: Page;
let number = 0;

/** Starts a connected hub and two targets that reject everything. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon } = session);
    rejecting = session.closeLater(await RecordingTarget.start(404));
    ordered = session.closeLater(await RecordingTarget.start(500));
    ({ page } = await session.enter());
  });

  afterAll(() => session?.close());
}

/** Sends a notification. @returns the id of its event */
export function notify(type: string): Promise<string> {
  number += 1;
  return emit(daemon, type, { id: number });
}

export const deadLetters = async (query = '') =>
  (await daemon.get<ListPage<Delivery>>(`/dead-letters?limit=200${query}`)).data;

export const untilDead = (count: number) =>
  until('all are dead letters', async () => (await deadLetters()).length === count);

export const causeRow = (words: string) => page.getByRole('listitem').filter({ hasText: words }).first();
