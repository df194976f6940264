import type { Page } from 'playwright-core';
import { BrowserSession } from '../../support/browser/browser-session';
import { show } from '../../support/browser/dashboard';
import { Daemon } from '../../support/daemon/daemon';
import { notify } from '../../support/daemon/emit';
import { FakeCopilot } from '../../support/fakes/copilot';
import type { FakeWebhook } from '../../support/fakes/copilot-webhooks';

export let session: BrowserSession;
export let daemon: Daemon;
export let upstream: FakeCopilot;
export let page: Page;
let lastId = 0;

/** Starts a connected hub, and opens its Connection screen before each test. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon, upstream } = session);
    ({ page } = await session.enter());
  });

  afterAll(() => session?.close());

  beforeEach(async () => {
    upstream.behave();
    // From another screen, so that nothing is left of the test before.
    await show(page, '/nowhere');
    await show(page, '/connection');
  });
}

/** Sends a notification to a webhook, optionally signed for another one. @returns the response status */
export async function send(to: FakeWebhook, signedFor: FakeWebhook = to): Promise<number> {
  lastId += 1;
  const timestamp = new Date().toISOString();
  const data = { id: lastId };
  const notification = { event: 'deal.updated', timestamp, webhook_id: signedFor.webhook_id, data };
  return (await notify(daemon, JSON.stringify(notification), to, signedFor)).status;
}
