import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import { Daemon } from '../support/daemon/daemon';
import {
  accessibilityViolations,
  hasFocus,
  horizontalOverflow,
  panel,
  press,
  show,
} from '../support/browser/dashboard';
import { emit, notify } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';
import { SIGNATURE_HEADER, FakeCopilot } from '../support/fakes/copilot';

/** Longest main-thread task on a busy machine; rendering a whole megabyte would take many times that. */
const LONGEST_TASK_MS = 1_500;

let session: BrowserSession;
let daemon: Daemon;
let upstream: FakeCopilot;
let target: RecordingTarget;
let page: Page;

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

const open = async (id: string) => {
  await show(page, `/events/${id}`);
  await tree().waitFor();
};
const tree = () => page.getByRole('tree', { name: 'Payload as a tree' });
const row = (name: string | RegExp) => tree().getByRole('treeitem', { name });
const copied = () => page.evaluate(() => navigator.clipboard.readText());
const changesOf = (place: number, screen = page) =>
  screen.getByRole('main').locator('ol > li').nth(place).locator('ul > li').allInnerTexts();
const inOneLine = (texts: string[]) => texts.map((text) => text.replaceAll(/\s+/g, ' '));

const payloadWithManyFields = (value: number) =>
  JSON.stringify({ id: 44, ...Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}`, value])) });

/** Sends the data as text, since JavaScript would round some of its numbers. */
async function send(data: string, type = 'deal.updated'): Promise<string> {
  const { webhook_id } = daemon.webhook;
  const text = `{"event":"${type}","timestamp":"${new Date().toISOString()}","webhook_id":"${webhook_id}","data":${data}}`;
  const response = await notify(daemon, text);
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

describe('the payload', () => {
  it('is a tree with arrow-key navigation, which collapses and copies paths and values', async () => {
    await open(await send('{"id":1,"tags":["new","vip"],"owner":{"first.name":"Ada"}}'));
    await row(/^Payload/).focus();
    await page.keyboard.press('End');
    expect(await hasFocus(row('first.name: "Ada"'))).toBe(true);
    await page.getByRole('button', { name: 'Copy path' }).click();
    expect(await copied()).toBe('data.owner.first\\.name');
    await page.getByRole('button', { name: 'Copy value' }).click();
    expect(await copied()).toBe('Ada');

    await row('first.name: "Ada"').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await hasFocus(row(/^owner/))).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await row(/^owner/)
      .and(page.locator('[aria-expanded=false]'))
      .waitFor();
    expect(await row('first.name: "Ada"').count()).toBe(0);
    await row(/^tags/).click();
    await page.getByRole('button', { name: 'Copy value' }).click();
    expect(await copied()).toBe('["new","vip"]');
    await row('0: "new"').click();
    await page.getByRole('button', { name: 'Copy path' }).click();
    expect(await copied()).toBe('data.tags.0');
  });

  it('keeps all digits of integers that JavaScript would round', async () => {
    await open(await send('{"id":2,"budget":9007199254740993}'));
    await row('budget: 9007199254740993').click();
    await page.getByRole('button', { name: 'Copy value' }).click();
    expect(await copied()).toBe('9007199254740993');
  });

  it('is shown byte for byte, with the header of the verified signature', async () => {
    await open(await send('{ "id" : 3 }'));
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByText('"data":{ "id" : 3 }').waitFor();
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByText('signature verified').waitFor();
    const facts = await panel(page, 'Details').innerText();
    expect(facts).toContain(`HMAC-SHA256 in ${SIGNATURE_HEADER}`);
    expect(facts).toContain('Header detected automatically');
  });

  it('opens collapsed with ten thousand levels, which can be expanded', async () => {
    const levels = 10_000;
    const id = await send(`{"id":4,"deep":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`);
    await open(id);
    const rows = await tree().getByRole('treeitem').count();
    expect(rows).toBeLessThan(20);
    await row(/^a/).last().focus();
    for (let step = 0; step < 60; step += 1) await page.keyboard.press('ArrowRight');
    expect(await tree().getByRole('treeitem').count()).toBeGreaterThan(rows + 25);
    expect(await horizontalOverflow(page)).toBe(0);
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('Payload').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('opens with a megabyte without blocking, and shows more of a long list on request', async () => {
    const items = Array.from({ length: 8_000 }, (_, n) => ({ n, text: 'x'.repeat(80), more: [n, null] }));
    const id = await send(JSON.stringify({ id: 5, items, note: 'y'.repeat(50_000) }));
    await page.goto('about:blank');
    await page.addInitScript(() => {
      Object.assign(window, { tasks: [] });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) Reflect.get(window, 'tasks').push(duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(`${daemon.url.replace('127.0.0.1', 'localhost')}/events/${id}`);
    await tree().waitFor();
    expect(await tree().getByRole('treeitem').count()).toBeLessThan(100);
    await row(/^items/).focus();
    await page.keyboard.press('ArrowRight');
    await row('Show 100 more of 7,900').locator('span').click();
    expect(await hasFocus(row(/^100: /))).toBe(true);
    await row('Show 100 more of 7,800').waitFor();
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByRole('button', { name: /^Show all/ }).waitFor();
    const tasks = await page.evaluate<number[]>('window.tasks');
    expect(Math.max(0, ...tasks)).toBeLessThan(LONGEST_TASK_MS);
  });

  it('shows HTML and direction controls as text, without affecting the page', async () => {
    const name = '<img src=x onerror="document.title=\'owned\'"> \u202eevil';
    await open(await send(JSON.stringify({ id: 6, name, '\u202eyek': '\u05e9\u05dc\u05d5\u05dd' })));
    await row(String.raw`\u202eyek: "שלום"`.replace(String.raw`\u202e`, '\u202e')).waitFor();
    expect(await tree().innerText()).toContain(String.raw`\u202eyek`);
    expect(await tree().innerText()).toContain(String.raw`\u202eevil`);
    expect(await page.title()).toMatch(/^deal\.updated · .*Switchboard$/);
    // The text after the name continues to its right, whatever direction the name has.
    const shownName = page.getByText(name, { exact: true });
    const [nameBox, after] = await Promise.all([
      shownName.boundingBox(),
      page.getByText('received', { exact: false }).first().boundingBox(),
    ]);
    expect(after!.y > nameBox!.y || after!.x > nameBox!.x).toBe(true);
    expect(await shownName.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate');
  });

  it('links to the entity at Co-Pilot only if that is a web address', async () => {
    const self = `${upstream.baseUrl}/v1/deals/7`;
    await open(await send(JSON.stringify({ id: 7, _links: { self } })));
    const link = page.getByRole('link', { name: 'Open in Co-Pilot' });
    expect(await link.getAttribute('href')).toBe(self);
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await open(await send(JSON.stringify({ id: 7, _links: { self: 'javascript:alert(1)' } })));
    expect(await link.count()).toBe(0);
  });
});

it('the payload is downloaded unchanged', async () => {
  const text = '{"id":7,  "name":"Ünverändert"}';
  const id = await send(text);
  await open(id);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${id}.json`);
  expect(readFileSync(await download.path(), 'utf8')).toContain(text);
});

describe('the page of an event', () => {
  it('shows each attempt with the start of its response; r replays the event, c copies it as curl', async () => {
    const id = await emit(daemon, 'deal.updated', { id: 8, name: "O'Hara" });
    await open(id);
    await page.getByText('HTTP 200', { exact: true }).click();
    await page.getByText('{"accepted":true}').waitFor();
    await page.locator('button:enabled', { hasText: 'Copy as curl' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const curl = await copied();
    expect(curl).toContain(`curl -X POST '${target.url}`);
    expect(curl).toContain(String.raw`O'\''Hara`);
    const before = target.hits.length;
    await page.keyboard.press('r');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await until('the replay reaches the target', () => target.hits.length > before);
    await panel(page, 'Deliveries').getByText('1 of 1 target delivered').waitFor();
    const runs = panel(page, 'Deliveries').getByRole('list', { name: 'Deliveries to orders, newest first' });
    await until('the newest is first', async () => {
      const texts = await runs.locator('> li').allInnerTexts();
      return texts.length === 2 && texts[0]!.includes('Replay') && texts[1]!.includes('Live');
    });
  });

  it('says first what became of the event, why it is queued, and which rule excluded a target', async () => {
    const erp = session.closeLater(
      await RecordingTarget.start((response) => response.writeHead(500).end("no column 'status_id'")),
    );
    const events = ['deal.lost'];
    const policy = { retry: { delays_s: [0.1] }, breaker: null };
    const targets = [
      await daemon.addTarget('erp', erp.url, { events, policy }),
      await daemon.addTarget('held', target.url, { events }),
      await daemon.addTarget('big deals', target.url, { events, filter: { 'data.price': { $gte: 10_000 } } }),
    ];
    await daemon.request('POST', `/targets/${targets[1]!.id}/pause`);
    const id = await emit(daemon, 'deal.lost', { id: 11, price: 300 });
    await open(id);
    await page
      .getByText(/^Failed at 1 of 3 targets: HTTP 500, 2 attempts; 1 queued until .*; 1 delivered\.$/)
      .waitFor();
    const deliveries = panel(page, 'Deliveries');
    await deliveries.getByText('Queued until the target is resumed.', { exact: true }).waitFor();

    const excluded = deliveries.getByText('data.price must be at least 10000, but it is 300');
    expect(await excluded.isVisible()).toBe(false);
    await press(deliveries.locator('summary', { hasText: 'Not sent to 1 target' }));
    await excluded.waitFor();

    await press(deliveries.locator('summary', { hasText: 'attempt 2' }));
    await deliveries.getByText("no column 'status_id'").nth(1).waitFor();
    const attempt = deliveries.locator('details[open]', { hasText: 'attempt 2' });
    expect(inOneLine([await attempt.innerText()])[0]).toContain('switchboard-attempt 2');
    expect(await attempt.innerText()).toContain(`POST ${erp.url}`);
    expect(await accessibilityViolations(page, '#main')).toEqual([]);

    // On a phone too, the answer comes before the payload.
    await page.setViewportSize({ width: 390, height: 800 });
    const top = async (name: string) => (await panel(page, name).boundingBox())!.y;
    expect(await top('Deliveries')).toBeLessThan(await top('Payload'));
    expect(await horizontalOverflow(page)).toBe(0);
    await page.setViewportSize(PAGE_OPTIONS.viewport);
    for (const added of targets) await daemon.request('DELETE', `/targets/${added.id}`);
  });

  it('resends an edited payload, marked as edited', async () => {
    await open(await send('{"id":9,"budget":9007199254740993}'));
    await page.keyboard.press('e');
    const text = page.getByRole('dialog').getByLabel('Payload');
    expect(await text.inputValue()).toContain('"budget": 9007199254740993');
    await text.fill('{"edited":"manually"}');
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 target' }).click();
    await until('it reaches the target', () => target.hits.at(-1)?.headers['switchboard-edited'] === 'true');
    expect(String(target.hits.at(-1)?.body)).toBe('{"edited":"manually"}');
    await panel(page, 'Deliveries').getByText('Edited', { exact: true }).waitFor();
  });

  it('shows duplicates', async () => {
    const { webhook_id } = daemon.webhook;
    const timestamp = new Date().toISOString();
    const text = JSON.stringify({ event: 'deal.updated', timestamp, webhook_id, data: { id: 10 } });
    const { id } = (await (await notify(daemon, text)).json()) as { id: string };
    await notify(daemon, text);
    await open(id);
    await panel(page, 'Duplicates').getByText('Held', { exact: true }).waitFor();
  });
});

describe('the history of an entity', () => {
  const states = [
    '{"id":42,"status_id":3,"owner":null,"seq":9007199254740992}',
    '{"id":42,"status_id":4,"owner":null,"seq":9007199254740993}',
    '{"id":42,"status_id":4,"seq":9007199254740993,"tags":["vip"]}',
  ];
  let ids: string[];
  beforeAll(async () => {
    ids = [];
    for (const state of states) ids.push(await send(state));
  });

  it('is shown on the event’s page, field by field, from that event back', async () => {
    await open(ids[1]!);
    const changed = panel(page, 'What changed');
    await changed.getByText('First stored event.').waitFor();
    await changed.locator('ul > li').first().waitFor();
    expect(inOneLine(await changed.locator('ul > li').allInnerTexts())).toEqual([
      'status_id 3 → changed to 4',
      'seq 9007199254740992 → changed to 9007199254740993',
    ]);
  });

  it('has its own page, newest first, and distinguishes null from missing', async () => {
    await open(ids[2]!);
    await page.getByRole('link', { name: 'All events of deal:42' }).click();
    await page.waitForURL(/\/entities\/deal:42$/);
    await page.getByRole('heading', { name: 'deal:42', level: 1 }).waitFor();
    await page.getByText('First stored event.').waitFor();
    await panel(page, 'Events').getByText('status_id').waitFor();
    expect(inOneLine(await changesOf(0))).toEqual(['tags added ["vip"]', 'owner removed null']);
    expect(inOneLine(await changesOf(1))).toEqual([
      'status_id 3 → changed to 4',
      'seq 9007199254740992 → changed to 9007199254740993',
    ]);
  });

  it('shows the record as it was at any time, and what changed between two times, by keyboard', async () => {
    await show(page, '/entities/deal:42');
    const past = panel(page, 'Record at any time');
    const record = past.getByRole('tree');
    const changes = async () => inOneLine(await past.locator('ul > li').allInnerTexts());
    await record.getByRole('treeitem', { name: 'status_id: 4' }).waitFor();
    await until('the newest is compared with the one before', async () => {
      return (await changes()).join() === 'tags added ["vip"],owner removed null';
    });
    const to = past.getByRole('slider', { name: 'As of' });
    await to.focus();
    await page.keyboard.press('Home');
    await record.getByRole('treeitem', { name: 'status_id: 3' }).waitFor();
    expect(await to.getAttribute('aria-valuetext')).toMatch(/^\d{4}-.*, deal.updated$/);
    await page.keyboard.press('ArrowRight');
    await record.getByRole('treeitem', { name: 'seq: 9007199254740993' }).waitFor();
    await page.keyboard.press('End');
    await past.getByRole('slider', { name: 'Compared with' }).focus();
    await page.keyboard.press('Home');
    await until('the first is compared with the last', async () => (await changes()).length === 4);
    expect((await changes())[0]).toBe('status_id 3 → changed to 4');
    expect(await accessibilityViolations(page, '#main')).toEqual([]);
  });

  it('says that newer events have arrived, and shows them on request', async () => {
    await show(page, '/entities/deal:42');
    await page.getByText('First stored event.').waitFor();
    // After connecting, a page reloads its lists, so an event that arrives meanwhile is shown immediately.
    await page.waitForLoadState('networkidle');
    await send('{"id":42,"status_id":5,"seq":9007199254740993,"tags":["vip"]}');
    await press(page.getByRole('button', { name: 'Show 1 newer event' }));
    await page.getByRole('button', { name: 'Show 1 newer event' }).waitFor({ state: 'detached' });
    await panel(page, 'Events').getByText('status_id').nth(1).waitFor();
    expect(inOneLine(await changesOf(0))).toEqual(['status_id 4 → changed to 5']);
  });

  it('is paged, and compares each event with the previous one across pages', async () => {
    for (let n = 0; n < 45; n += 1) await send(`{"id":43,"n":${n}}`);
    await show(page, '/entities/deal:43');
    const rows = page.getByRole('list', { name: 'Events' }).locator('> li');
    await until('the first page is shown', async () => (await rows.count()) === 20);
    while (await page.getByRole('button', { name: 'Show older' }).isVisible()) {
      const count = await rows.count();
      await page.getByRole('button', { name: 'Show older' }).click();
      await until('older events are shown', async () => (await rows.count()) > count);
    }
    await until('all are compared', async () => (await rows.locator('ul > li').count()) === 44);
    const all = inOneLine(await rows.locator('ul > li').allInnerTexts());
    expect(all).toEqual(Array.from({ length: 44 }, (_, back) => `n ${43 - back} → changed to ${44 - back}`));
  });

  it('shortens a large difference, and compares large payloads only on request', async () => {
    await send(payloadWithManyFields(1));
    await send(payloadWithManyFields(2));
    const large = 'x'.repeat(150_000);
    await send(JSON.stringify({ id: 44, large }));
    await show(page, '/entities/deal:44');
    const first = page.getByRole('list', { name: 'Events' }).locator('> li').first();
    await first.getByRole('button', { name: /^Compare 15/ }).click();
    await first.getByText('large').waitFor();
    const second = page.getByRole('list', { name: 'Events' }).locator('> li').nth(1);
    await second.getByRole('button', { name: 'Show 100 more of 112' }).click();
    await second.getByRole('button', { name: 'Show 12 more' }).click();
    expect(await second.locator('ul > li').count()).toBe(120);
  });

  it('explains entities if none is stored, whatever its name', async () => {
    await show(page, `/entities/${encodeURIComponent('deal:<b>/?#%')}`);
    await page.getByRole('heading', { name: 'No stored events for deal:<b>/?#%' }).waitFor();
  });
});
