import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser/browser';
import { Daemon } from '../support/daemon/daemon';
import { openDashboard, show } from '../support/browser/dashboard';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { dealNotification } from '../support/notification';
import { RecordingTarget } from '../support/fakes/recording-target';
import { report } from '../support/runs/report';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { systemEvents, readWholeList, visibleRows, newEventsButton } from '../support/browser/tail-reader';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';

/** Rate and duration of the first test. */
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 1_000);
const SECONDS = Number(process.env['SECONDS'] ?? 60);
/** Whether a target receives all events in the first test too; in the second, one always does. */
const WITH_TARGET = process.env['WITH_TARGET'] === '1';
/** Rate and duration of the second test. */
const STEADY_PER_SECOND = Number(process.env['STEADY_PER_SECOND'] ?? 500);
const MINUTES = Number(process.env['MINUTES'] ?? 30);

const STEP_MS = 4;
const MB = 1_000_000;

let upstream: FakeCopilot;
let daemon: Daemon;
let target: RecordingTarget;
let client: WebhookSender;
let browser: Browser;
let page: Page;
let cdp: CDPSession;
let isSubscribed = false;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.startConnected({ upstream });
  target = await RecordingTarget.start();
  if (WITH_TARGET) await subscribe();
  client = new WebhookSender(daemon.webhook);
  browser = await launchBrowser();
  ({ page } = await openDashboard(browser, daemon));
  cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
});

/** Creates the target for all events, once. */
const subscribe = async () => {
  if (!isSubscribed) await daemon.addTarget('everything', target.url);
  isSubscribed = true;
};

afterAll(async () => {
  client?.close();
  await browser?.close();
  await daemon?.close();
  await target?.close();
  await upstream?.close();
});

/** Records tasks over 50 ms in the page. One long task of its own proves that recording works. */
async function watchLongTasks(): Promise<void> {
  await page.evaluate(() => {
    const longTaskMs: number[] = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longTaskMs.push(duration);
    }).observe({ type: 'longtask' });
    Object.assign(globalThis, { longTaskMs });
    setTimeout(() => {
      for (const end = performance.now() + 80; performance.now() < end;);
    });
  });
  await until('a long task is recorded', async () => (await longTasks()).length > 0);
}
const longTasks = () =>
  page.evaluate(() => (globalThis as unknown as { longTaskMs: number[] }).longTaskMs.splice(0));

const metric = async (name: string): Promise<number> => {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find((one) => one.name === name)!.value;
};

it(
  `${PER_SECOND} events a second${WITH_TARGET ? ', delivered as well,' : ''} are each listed once, a pause loses none, and the page stays responsive`,
  async () => {
    const sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id);
    await show(page, '/live?system=shown');
    await watchLongTasks();
    const busyBefore = await metric('TaskDuration');
    const startedAt = performance.now();
    sender.start();
    try {
      await pause(SECONDS * 500);
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      const seen = await visibleRows(page);
      await pause(SECONDS * 250);
      expect(await visibleRows(page)).toEqual(seen);
      await page.keyboard.press('p');
      await pause(SECONDS * 250);
    } finally {
      sender.stop();
    }
    const spanMs = performance.now() - startedAt;
    const long = await longTasks();
    const share = long.reduce((sum, ms) => sum + ms, 0) / spanMs;
    const busy = ((await metric('TaskDuration')) - busyBefore) / (spanMs / 1_000);
    await sender.waitUntilFinished(120_000);
    report(
      `${sender.acknowledged.length} events in ${(spanMs / 1_000).toFixed(0)} s; ${long.length} tasks over 50 ms, the longest ` +
        `${Math.max(0, ...long).toFixed(0)} ms, ${(share * 100).toFixed(1)} % of the time; the page was busy ${(busy * 100).toFixed(0)} %`,
    );
    if (WITH_TARGET) {
      report(`${target.hits.length} delivered meanwhile`);
      await until('all are delivered', () => target.hits.length >= sender.acknowledged.length, 120_000);
    }
    await newEventsButton(page).waitFor({ state: 'hidden' });
    const expectedIds = Array.from(
      new Set(sender.acknowledged.map(({ acknowledgement }) => acknowledgement!.id!)),
    );
    await page.locator(`[data-tail] a[href$="${expectedIds.at(-1)!}"]`).waitFor();
    const read = await readWholeList(page);
    expectedIds.push(...(await systemEvents(daemon)));
    expect(read).toHaveLength(expectedIds.length);
    expect(new Set(read)).toEqual(new Set(expectedIds));
    expect(sender.acknowledged).toHaveLength(sender.notifications.length);
    expect(share).toBeLessThan(0.05);
  },
  (SECONDS + 600) * 1_000,
);

it(
  `after ${MINUTES} minutes of ${STEADY_PER_SECOND} events a second the page needs no more memory than in the first`,
  async () => {
    await subscribe();
    await show(page, '/live?system=shown');
    const samples: { minute: number; heap: number }[] = [];
    const steady = sendSteadily();
    for (let minute = 1; minute <= MINUTES; minute += 1) {
      await pause(60_000);
      await cdp.send('HeapProfiler.collectGarbage');
      const heap = await metric('JSHeapUsedSize');
      const nodes = await metric('Nodes');
      samples.push({ minute, heap });
      report(
        `minute ${minute}: ${(heap / MB).toFixed(1)} MB, ${nodes} nodes, ${steady.count.sent} events, ${target.hits.length} delivered`,
      );
      target.hits.length = 0;
    }
    const { sent, failed } = await steady.stop();
    report(`${sent} events were stored, ${failed} failed or late`);
    expect(sent).toBeGreaterThan(MINUTES * 60 * STEADY_PER_SECOND * 0.8);
    const slope = slopeOf(samples);
    const mean = samples.reduce((sum, { heap }) => sum + heap, 0) / samples.length;
    report(`${(slope / 1_000).toFixed(1)} kB a minute, of ${(mean / MB).toFixed(1)} MB`);
    expect(slope * 30).toBeLessThan(mean * 0.1);
  },
  (MINUTES + 5) * 60_000,
);

/** Sends notifications at a steady rate, and remembers only their number. */
function sendSteadily() {
  const count = { sent: 0, failed: 0 };
  const { webhook_id: webhookId } = daemon.webhook;
  const started = performance.now();
  let created = 0;
  const send = async () => {
    created += 1;
    const { status } = await client.send(dealNotification({ id: 10_000_000 + created, webhookId }).body);
    if (status === 200) count.sent += 1;
    else count.failed += 1;
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - started) / 1_000) * STEADY_PER_SECOND);
    for (let i = created; i < due; i += 1) void send();
  }, STEP_MS);
  const stop = async () => {
    clearInterval(timer);
    await until('the last responses have arrived', () => client.unanswered === 0);
    return count;
  };
  return { count, stop };
}

/** Bytes per minute, by least squares, without the first minute, in which everything is loaded. */
function slopeOf(samples: { minute: number; heap: number }[]): number {
  const later = samples.length > 2 ? samples.slice(1) : samples;
  const mean = (pick: (sample: { minute: number; heap: number }) => number) =>
    later.reduce((sum, sample) => sum + pick(sample), 0) / later.length;
  const [x, y] = [mean(({ minute }) => minute), mean(({ heap }) => heap)];
  const above = mean(({ minute, heap }) => (minute - x) * (heap - y));
  return above / (mean(({ minute }) => (minute - x) ** 2) || 1);
}
