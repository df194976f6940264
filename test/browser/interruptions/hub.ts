import type { Page } from 'playwright-core';
import { BrowserSession } from '../../support/browser/browser-session';
import { Daemon } from '../../support/daemon/daemon';

export let session: BrowserSession;
export let daemon: Daemon;
export let page: Page;

/** Starts a connected daemon, and opens its dashboard. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon } = session);
    await enter();
  });
  afterAll(() => session?.close());
}

/** Opens the dashboard in a new page. */
export async function enter(): Promise<void> {
  ({ page } = await session.enter());
}
