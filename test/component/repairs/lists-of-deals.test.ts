import type { DataSource } from 'typeorm';
import { ENDPOINTS } from '../../../src/protocol/endpoints';
import type { Deal } from '../../../src/protocol/shapes';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { WalkEntitiesQuery } from '../../../src/relay/events/entities/walk-entities.query';
import { FindEventsQuery } from '../../../src/relay/events/search/find-events.query';
import { ENTITIES } from '../../../src/relay/relay.module';
import type { DealsApi } from '../../../src/relay/repairs/reading/deals-api';
import { readDeals } from '../../../src/relay/repairs/reading/read-deals';
import { RepairReading, type FoundItem } from '../../../src/relay/repairs/reading/repair-reading';
import { notStarted, type RepairRow } from '../../../src/relay/repairs/repair-row';
import { eventTypesOf, syntheticEvent } from '../../../src/relay/repairs/synthetic-event';
import type { Settings } from '../../../src/relay/settings/settings';
import { QUIRKS } from '../../../src/sandbox/quirks/quirk-table';
import { startSandbox, type Sandbox } from '../../../src/sandbox/start-sandbox';
import { Client } from '../../sandbox/client';
import { patchSandbox } from '../../sandbox/patch-sandbox';
import { clockAt } from '../../support/clock';
import { draft, ScratchJournal, START } from '../../support/daemon/scratch-journal';

const LISTS = Object.keys(QUIRKS.list_format.values).flatMap((format) =>
  Object.keys(QUIRKS.list_paging.values).map((paging) => [format, paging] as const),
);
const PAGE_SIZE = 7;
const CHANGED = 20;
const DELETED = 2;
/** After the deletions: no round number, which could be the first page of more. */
const LISTED = 27;

const nothing = {} as never;

let sandbox: Sandbox;
let scratch: ScratchJournal;
let source: DataSource;
let reading: RepairReading;
let changed: string[];
let deleted: string[];

const panel = async (method: string, path: string, body?: object) => {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox.baseUrl}/panel${path}`, { method, ...json });
  return response.status === 204 ? null : ((await response.json()) as unknown);
};
const listed = async () => ((await panel('GET', '/deals')) as { data: Deal[] }).data;
const entityOf = ({ id }: Deal) => `deal:${id}`;

beforeAll(async () => {
  sandbox = await startSandbox({ consent: 'grant' });
  scratch = await ScratchJournal.open();
  source = await scratch.openSource(ENTITIES);
  const client = new Client(sandbox);
  const { access_token: token } = await client.connect('deals');
  const ask = (path: string) => client.api('GET', path, token);
  // Without the thread that the daemon has for it.
  const page = async (path: string) => {
    const response = await ask(path);
    const body = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    return { kind: 'page', page: readDeals({ list: ENDPOINTS.deals, path, body, headers }) };
  };
  const isGone = async (path: string) => (await ask(path)).status === 404;
  const { reader, journal } = scratch;
  const events = new FindEventsQuery(source, reader, journal, nothing, nothing);
  let time = START;
  reading = new RepairReading(
    { page, isGone } as unknown as DealsApi,
    new WalkEntitiesQuery(source, reader, events),
    new EntityStatesQuery(reader),
    events,
    { copilot: { baseUrl: sandbox.baseUrl } } as Settings,
    // Every wait is over at once.
    clockAt(() => (time += 60_000)),
    source,
  );
  await changeInSilence();
});
afterAll(async () => {
  await source?.destroy();
  await scratch?.remove();
  await sandbox?.close();
});

/** Stores what is known of all deals, and changes some without a notification. */
async function changeInSilence(): Promise<void> {
  for (let n = (await listed()).length; n < LISTED + DELETED; n += 1)
    await panel('POST', '/deals', { name: `Deal ${n}`, notify: false });
  const deals = await listed();
  for (const [n, deal] of deals.entries()) {
    const body = Buffer.from(JSON.stringify({ event: 'deal.updated', data: deal }));
    await scratch.journal.append(draft(n, { entity: entityOf(deal), body }), () => []);
  }
  for (const { id } of deals.slice(0, CHANGED))
    await panel('PATCH', `/deals/${id}`, { name: 'Changed', notify: false });
  for (const { id } of deals.slice(-DELETED)) await panel('DELETE', `/deals/${id}`, { notify: false });
  changed = deals.slice(0, CHANGED).map(entityOf);
  deleted = deals.slice(-DELETED).map(entityOf);
}

const repair = (): RepairRow => ({
  number: 1,
  id: 'rpr_1',
  purpose: 'repair',
  state: 'reading',
  outage_ids: [],
  requests_per_minute: 60,
  progress: notStarted(),
  read_at: START,
  actions: null,
  target_ids: null,
  events_per_second: null,
  created_at: START,
  ended_at: null,
});

/** Reads the list as the sandbox shows it. */
async function read(format: string, paging: string) {
  await patchSandbox(sandbox, 'quirks', {
    list_format: format,
    list_paging: paging,
    page_size: PAGE_SIZE,
  });
  const row = repair();
  const { signal } = new AbortController();
  const items: FoundItem[] = [];
  for await (const found of reading.settle(row, await reading.read(row, signal), signal))
    items.push(...found);
  const of = (action: string) => items.filter((item) => item.action === action).map(({ entity }) => entity);
  return { row, items, changed: of('changed'), absent: of('absent') };
}

describe('a list of deals', () => {
  it.each(LISTS)('in the format %s with the paging %s shows what has changed', async (format, paging) => {
    const found = await read(format, paging);
    expect(found.changed.toSorted()).toEqual(changed.toSorted());
    expect(found.absent.toSorted()).toEqual(deleted.toSorted());
    const { read: progress, counts } = found.row.progress;
    // Without a word about pages, a second one is asked for.
    const pages = paging === 'none' ? 2 : Math.ceil(LISTED / PAGE_SIZE);
    expect(progress).toMatchObject({ pages, records: LISTED, complete: true });
    expect(counts).toMatchObject({ changed: CHANGED, absent: DELETED, missing: 0, unreadable: 0 });
  });

  describe('once its events are stored', () => {
    beforeAll(async () => {
      const { row, items } = await read('data', 'cursor');
      for (const item of items)
        for (const type of eventTypesOf(item, item.state, [])) {
          const event = syntheticEvent(row, item, type, { webhookId: null, now: START });
          await scratch.journal.append(event.draft, () => []);
        }
    });

    it.each(LISTS)('in the format %s with the paging %s shows nothing more', async (format, paging) => {
      const { items, row } = await read(format, paging);
      expect(items).toEqual([]);
      expect(row.progress.counts).toMatchObject({ same: LISTED, changed: 0, absent: 0 });
    });
  });
});
