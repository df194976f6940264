import type { Page } from 'playwright-core';
import { BrowserSession } from '../../support/browser/browser-session';
import { hasFocus, waitUntilOpen } from '../../support/browser/dashboard';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { FakeCopilot } from '../../support/fakes/copilot';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

export let session: BrowserSession;
export let daemon: Daemon;
let upstream: FakeCopilot;
export let target: RecordingTarget;
export let page: Page;
let number = 0;

/** Starts a connected hub with a target, and opens its dashboard. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon, upstream } = session);
    target = session.closeLater(await RecordingTarget.start());
    await daemon.addTarget('orders', target.url);
    ({ page } = await session.enter());
  });

  afterAll(() => session?.close());
}

/** Sends a notification with the given entity name. */
export async function notify(name: string): Promise<void> {
  number += 1;
  const links = { self: `${upstream.baseUrl}/v1/deals/${40 + number}` };
  await emit(daemon, 'deal.updated', { id: 40 + number, name, _links: links });
}

export const urlOf = (path: string) => new URL(path, page.url()).href;

export const dialog = () => page.getByRole('dialog', { name: 'Command palette' });

export const field = () => dialog().getByRole('combobox');

/** Opens the palette and types, by keyboard only. */
export async function type(text: string): Promise<void> {
  // While it closes, the keys would close it.
  await dialog().waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await waitUntilOpen(dialog());
  await until('the field has the focus', () => hasFocus(field()));
  await page.keyboard.type(text);
}
