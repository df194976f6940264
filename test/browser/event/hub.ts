import type { Page } from 'playwright-core';
import { BrowserSession } from '../../support/browser/browser-session';
import { show } from '../../support/browser/dashboard';
import { Daemon } from '../../support/daemon/daemon';
import { notify } from '../../support/daemon/emit';
import { FakeCopilot } from '../../support/fakes/copilot';
import { RecordingTarget } from '../../support/fakes/recording-target';

export let session: BrowserSession;
export let daemon: Daemon;
export let upstream: FakeCopilot;
export let target: RecordingTarget;
export let page: Page;

/** Starts a connected hub with a target, and a page that may use the clipboard. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open();
    ({ daemon, upstream } = session);
    target = session.closeLater(
      await RecordingTarget.start((response) => response.writeHead(200).end('{"accepted":true}')),
    );
    await daemon.addTarget('orders', target.url);
    ({ page } = await session.enter({ permissions: ['clipboard-read', 'clipboard-write'] }));
  });

  afterAll(() => session?.close());
}

export const open = async (id: string) => {
  await show(page, `/events/${id}`);
  await tree().waitFor();
};

export const tree = () => page.getByRole('tree', { name: 'Payload as a tree' });

export const copied = () => page.evaluate(() => navigator.clipboard.readText());

export const inOneLine = (texts: string[]) => texts.map((text) => text.replaceAll(/\s+/g, ' '));

/** Sends the data as text, since JavaScript would round some of its numbers. @param times that the same bytes are sent */
export async function send(data: string, type = 'deal.updated', times = 1): Promise<string> {
  const { webhook_id } = daemon.webhook;
  const text = `{"event":"${type}","timestamp":"${new Date().toISOString()}","webhook_id":"${webhook_id}","data":${data}}`;
  let id = '';
  for (let i = 0; i < times; i += 1) {
    const response = await notify(daemon, text);
    expect(response.status).toBe(200);
    ({ id } = (await response.json()) as { id: string });
  }
  return id;
}
