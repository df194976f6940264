import type { Locator, Page } from 'playwright-core';
import type { EventHistogram } from '../../src/contract/event';
import type { Page as ListPage } from '../../src/contract/page';
import type { Target } from '../../src/contract/target';
import type { HealthState } from '../../src/contract/target-health';
import { PAGE_OPTIONS } from '../support/browser/browser';
import { BrowserSession } from '../support/browser/browser-session';
import { load, navigationLink, panel, placeOf, show } from '../support/browser/dashboard';
import { Daemon } from '../support/daemon/daemon';
import { emit } from '../support/daemon/emit';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const EVENTS = 100_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The targets, in the order of the list: the worst state first, then the oldest. */
const STATES: readonly [name: string, states: HealthState[], label: string][] = [
  ['old shop', ['disabled'], 'Gone'],
  ['crm mirror', ['down'], 'Down'],
  ['importer', ['failing'], 'Failing'],
  ['reports', ['behind'], 'Behind'],
  ['billing', ['paused'], 'Paused'],
  ['search', ['paused'], 'Paused'],
  ['orders', ['active'], 'Active'],
  ['spare', ['active'], 'Active'],
  ['staging', ['disabled'], 'Disabled'],
];

let session: BrowserSession;
let daemon: Daemon;
let page: Page;

beforeAll(async () => {
  session = await BrowserSession.open();
  ({ daemon } = session);
  const start = async (status: number) => session.closeLater(await RecordingTarget.start(status));
  const [healthy, unavailable, gone] = [await start(204), await start(503), await start(410)];
  const silent = session.closeLater(await RecordingTarget.start(() => undefined));
  const never = { events: ['never.*'] };
  const probed = { failures: 1, first_probe_s: 3_600, cap_s: 3_600 };
  await daemon.addTarget('orders', healthy.url, never);
  await daemon.addTarget('importer', healthy.url, never);
  await daemon.addTarget('reports', silent.url, {
    ...never,
    policy: { rate: { limit: 1, per: 'minute' }, timeout_ms: 60_000, breaker: null },
  });
  const billing = await daemon.addTarget('billing', healthy.url, never);
  const search = await daemon.addTarget('search', healthy.url, never);
  await daemon.addTarget('staging', healthy.url, { ...never, enabled: false });
  await daemon.addTarget('crm mirror', unavailable.url, {
    events: ['deal.lost'],
    policy: { breaker: probed },
  });
  await daemon.addTarget('old shop', gone.url, { events: ['deal.lost'] });
  await daemon.addTarget('spare', healthy.url, never);
  await daemon.request('POST', `/targets/${billing.id}/pause`, { reason: 'Database upgrade' });
  await daemon.request('POST', `/targets/${search.id}/pause`, { until: '2099-01-02T10:00:00Z' });
  await emit(daemon, 'deal.lost', { id: 1 });
  await until('one is down, one gone', async () => {
    const states = new Map((await targets()).map(({ name, health }) => [name, health.states[0]]));
    return states.get('crm mirror') === 'down' && states.get('old shop') === 'disabled';
  });
  await daemon.stop();
  daemon.alterDatabase(storeHistory(Date.now()));
  await daemon.restart();
  ({ page } = await session.enter());
});

afterAll(() => session?.close());

const targets = async () => (await daemon.get<ListPage<Target>>('/targets')).data;
const rows = () => page.getByRole('list', { name: 'Matching events' }).getByRole('listitem');
const deal = (number: number) => rows().filter({ hasText: `Deal ${number}` });
const chart = () => page.getByRole('region', { name: 'Matching events by time' });

/** Whether these are the names of all targets, the most severe state first. */
const listsTargets = async (names: Locator) =>
  (await names.allInnerTexts()).join() === STATES.map(([name]) => name).join();

/** The number of matching events that the Events screen shows. */
const shownCount = async () => {
  const text = await chart()
    .getByText(/[\d,]+ events?$/)
    .innerText();
  return Number(text.replaceAll(/\D/g, ''));
};
/** The counts that an estimate may have: a sample, smaller on a busy machine, says less about what is rare. */
const near = (count: number, tolerance: number) => ({
  from: count * (1 - tolerance),
  to: count * (1 + tolerance),
});

describe('with a hundred thousand events and nine targets in different states', () => {
  it('lists the newest events with their outcomes', async () => {
    await show(page, '/events');
    await deal(EVENTS - 1)
      .getByText('Delivered', { exact: true })
      .waitFor();
    await deal(EVENTS - 10)
      .getByText('Failed', { exact: true })
      .waitFor();
  });

  it.each([
    ['', EVENTS],
    ['status=dead', EVENTS / 10],
    ['status=succeeded', (EVENTS * 9) / 10],
    ['type=contact.*', EVENTS / 4],
    ['type=contact.*&status=dead', EVENTS / 20],
    [`since=${new Date(Date.now() - DAY_MS / 2).toISOString()}`, EVENTS / 2],
    ['payload={"data.price":{"$gte":75000}}', EVENTS / 4],
  ])('counts the events that match %s', async (query, expected) => {
    const { from, to } = near(expected, 0.05 * Math.sqrt(EVENTS / expected));
    const { count } = await daemon.get<EventHistogram>(
      `/events/histogram?buckets=60&origin=copilot&${query}`,
    );
    expect(count).toBeGreaterThanOrEqual(from);
    expect(count).toBeLessThanOrEqual(to);
  });

  it('shows how many events match', async () => {
    await load(page, '/events?status=dead&range=12h');
    const { from, to } = near(EVENTS / 20, 0.25);
    const found = await shownCount();
    expect(found).toBeGreaterThanOrEqual(from);
    expect(found).toBeLessThanOrEqual(to);
  });

  it.each([
    ['entity=deal:4711', 'Deal 4711'],
    ['payload={"data.price":4711}', 'Deal 4711'],
    ['status=retrying&entity=deal:15', 'Deal 15'],
  ])('finds the only event that matches %s', async (query, name) => {
    await show(page, `/events?${query}`);
    await rows().filter({ hasText: name }).waitFor();
    expect(await rows().count()).toBe(1);
  });

  it('draws the outcomes over time, and narrows the list to one bar', async () => {
    await show(page, '/events?range=24h');
    const bars = chart().getByRole('button', { name: /: [\d,]+ events, .*[1-9][\d,]* failed/ });
    await until('the bars are drawn', async () => (await bars.count()) > 10);
    await bars.nth(5).press('Enter');
    await page.waitForURL(/since=.*until=/);
    const time = (name: string) => Date.parse(new URL(page.url()).searchParams.get(name)!);
    // Counted from the range, because the label of the bar may be an estimate.
    const { from, to } = near((EVENTS * (time('until') - time('since'))) / DAY_MS, 0.5);
    await until('the count is that of the bar', async () => {
      const count = await shownCount();
      return count >= from && count <= to;
    });
  });

  it('shows the state of every target, in the API, in the list and on the overview', async () => {
    const byName = new Map((await targets()).map(({ name, health }) => [name, health.states]));
    expect(STATES.map(([name]) => [name, byName.get(name)])).toEqual(
      STATES.map(([name, states]) => [name, states]),
    );
    await show(page, '/targets');
    await until('the list is sorted by state', () => listsTargets(page.locator('tbody [data-row]')));
    const row = (name: string) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    for (const [name, , label] of STATES) await row(name).getByText(label, { exact: true }).waitFor();
    await row('billing')
      .getByText(/Database upgrade/)
      .waitFor();
    await row('search')
      .getByText(/resumes in/)
      .waitFor();
    await row('reports').getByText('25 queued').waitFor();
    await row('importer').getByText('0%', { exact: true }).waitFor();
    await row('spare').getByText('–').first().waitFor();
    await show(page, '/');
    const attention = panel(page, 'What needs attention');
    await attention.getByText(/^importer failing · /).waitFor();
    // What is said there is not repeated on cards.
    expect(await page.getByRole('region', { name: 'Targets' }).count()).toBe(0);
    await page.setViewportSize({ width: 1920, height: 1080 });
    const topOf = async (name: string) => (await placeOf(panel(page, name))).y;
    await until(
      'the topology is beside the latest events',
      async () => (await topOf('Topology')) === (await topOf('Latest events')),
    );
    await page.setViewportSize(PAGE_OPTIONS.viewport);
  });

  it('counts the dead letters in the navigation, and groups them by cause', async () => {
    await navigationLink(page, 'Failures').filter({ hasText: '999+' }).click();
    // With the one that ended when its target was gone.
    await panel(page, 'Bulk actions').getByText('10,001 dead letters').waitFor();
    await page.getByRole('button', { name: /Retry 10,000 for importer: .*HTTP 422/ }).waitFor();
  });
});

/**
 * Events of the last day, in equal intervals: all delivered to `orders`, every tenth a dead letter of `importer`, and a few of
 * the oldest queued for `reports`. Prices count from 1.
 */
function storeHistory(now: number): string {
  const minute = Math.floor(now / MINUTE_MS) - 2;
  const at = `${now - DAY_MS} + i * ${DAY_MS / EVENTS}`;
  const queued = 'i % 10 = 5 AND i <= 250';
  const seq = 'first + i';
  return `
    CREATE TEMP TABLE numbers AS
      WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < ${EVENTS})
      SELECT i, (SELECT max(seq) FROM events) AS first,
        CASE WHEN i % 4 = 0 THEN 'contact.updated' ELSE 'deal.updated' END AS type FROM more;
    INSERT INTO events(seq, received_at, occurred_at, type, entity, name, webhook_id, content_type, headers,
        signature_header, signature_value, planned, body)
      SELECT ${seq}, ${at}, ${at}, type, 'deal:' || i, 'Deal ' || i, 'wh_1', 'application/json', '[]', 'x-signature', '00', 1,
        CAST(json_object('event', type, 'data', json_object('id', i, 'name', 'Deal ' || i, 'price', i)) AS BLOB)
      FROM numbers;
    INSERT INTO event_types(type, seq) SELECT type, ${seq} FROM numbers ORDER BY 1, 2;
    INSERT INTO event_entities(entity, seq) SELECT 'deal:' || i, ${seq} FROM numbers ORDER BY 1, 2;
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, finished_at, last_status)
      SELECT ${seq}, ${numberOf('orders')}, 0, 'succeeded', 'live', 1, ${at}, ${at}, 204 FROM numbers;
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, finished_at, last_status, last_error,
        note)
      SELECT ${seq}, ${numberOf('importer')}, 0, 'dead', 'live', 1, ${at}, ${at}, 422, 'http_status', 'HTTP 422 after 1 attempt.'
      FROM numbers WHERE i % 10 = 0;
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, due_at, class, last_status, last_error)
      SELECT ${seq}, ${numberOf('reports')}, 0, 'retrying', 'live', 1, ${now} - ${5 * MINUTE_MS}, ${now} - ${4 * MINUTE_MS}, 1,
        429, 'http_status' FROM numbers WHERE ${queued};
    INSERT INTO delivery_targets(target_id, event_seq) SELECT target_id, event_seq FROM deliveries
      WHERE event_seq > (SELECT first FROM numbers LIMIT 1) ORDER BY 1, 2;
    INSERT INTO dead_letter_counts(target, count) VALUES (${numberOf('importer')}, ${EVENTS / 10});
    INSERT OR REPLACE INTO traffic_minutes(minute, target, events, delivered, failed, dead)
      VALUES (${minute}, ${numberOf('importer')}, 0, 0, 12, 12), (${minute}, ${numberOf('orders')}, 0, 40, 0, 0),
        (${minute}, 0, 40, 40, 12, 12);
    UPDATE instance SET indexed_through = (SELECT max(seq) FROM events);`;
}

const numberOf = (name: string) => `(SELECT number FROM targets WHERE name = '${name}')`;
