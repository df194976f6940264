import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { waitUntilLive, openLoginLink } from '../support/browser/dashboard';
import { report } from '../support/runs/report';
import { everyScreen } from '../screens/every-screen';
import { busyHub, type Hub } from '../screens/hubs';

/** Each page is opened this many openingTimes, and the fastest counts: slower ones measure the machine. */
const OPENINGS = 3;
const LIMIT_MS = 1_000;
const BARE = '<!doctype html><html lang="en"><title>Bare</title><main id="main"><h1>Bare</h1></main></html>';

let hub: Hub;
let browser: Browser;
let session: Awaited<ReturnType<BrowserContext['storageState']>>;
let origin: string;

beforeAll(async () => {
  hub = await busyHub();
  browser = await launchBrowser();
  const context = await browser.newContext(PAGE_OPTIONS);
  const page = await context.newPage();
  await openLoginLink(page, await hub.loginLink());
  await waitUntilLive(page);
  ({ origin } = new URL(page.url()));
  session = await context.storageState();
  await context.close();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

/** Ms from the navigation until a screen has its heading and shows no loading state. */
async function open(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  try {
    await page.goto(address, { waitUntil: 'commit' });
    const usable = await page.waitForFunction(() => {
      const [main, loading] = [
        document.querySelector('main h1'),
        document.querySelector('main [aria-busy=true]'),
      ];
      return main !== null && loading === null && performance.now();
    });
    return Number(await usable.jsonValue());
  } finally {
    await page.close();
  }
}

/** The fastest of several openings, with an empty cache and with a filled one. */
async function openingTimes(address: string): Promise<{ cold: number; warm: number }> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let i = 0; i < OPENINGS; i += 1) {
    const context = await browser.newContext({ ...PAGE_OPTIONS, storageState: session });
    cold.push(await open(context, address));
    warm.push(await open(context, address));
    await context.close();
  }
  return { cold: Math.min(...cold), warm: Math.min(...warm) };
}

it('every screen can be used within a second, measured beside a bare page', async () => {
  const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(BARE));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const bare = await openingTimes(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  server.close();
  const late: string[] = [];
  const row = (name: string, { cold, warm }: { cold: number; warm: number }) =>
    `${name}: cold ${cold.toFixed(0)} ms (${(cold / bare.cold).toFixed(1)} times the bare page), ` +
    `warm ${warm.toFixed(0)} ms (${(warm / bare.warm).toFixed(1)} times)`;
  report(row('bare page', bare));
  for (const { name, path } of await everyScreen(hub)) {
    const measured = await openingTimes(`${origin}${path}`);
    report(row(name, measured));
    if (Math.max(measured.cold, measured.warm) > LIMIT_MS) late.push(name);
  }
  expect(late).toEqual([]);
}, 600_000);
