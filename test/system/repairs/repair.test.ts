import { eventDetail, eventSummary } from '../../../src/contract/event';
import { entityDetail } from '../../../src/contract/entity';
import { pageOf } from '../../../src/contract/page';
import { targetCreated } from '../../../src/contract/target';
import type { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import type { SandboxCopilot } from '../../support/fakes/sandbox-copilot';
import { until } from '../../support/until';
import { RepairHub } from './repair-hub';

let relay: Switchboard<SandboxCopilot>;
let hub: RepairHub;
let receiver: RecordingTarget;
let other: RecordingTarget;
let targetId = '';

const addTarget = async (name: string, { url }: RecordingTarget, more: object = {}) =>
  (
    await relay.read(targetCreated, '/targets', {
      method: 'POST',
      json: { name, url, events: ['*'], ...more },
    })
  ).id;

const ofOrigin = async (origin: string, query = '') =>
  (await relay.read(pageOf(eventSummary), `/events?origin=${origin}&limit=200${query}`)).data;
const synthetic = (query = '') => ofOrigin('synthetic', query);

const quirks = (changes: object) => relay.upstream.panel('PATCH', '/quirks', changes);
const faults = (changes: object) => relay.upstream.panel('PATCH', '/faults', changes);

beforeAll(async () => {
  [receiver, other] = await Promise.all([RecordingTarget.start(), RecordingTarget.start()]);
  hub = await RepairHub.start();
  relay = hub.relay;
  await hub.learnAll();
  targetId = await addTarget('receiver', receiver);
});
afterEach(() => quirks({ list_format: 'data', list_paging: 'none', page_size: 50 }));
afterAll(async () => {
  await relay.end();
  await Promise.all([receiver.close(), other.close()]);
});

it('finds what was missed, sends nothing until it is applied, and then exactly that, marked', async () => {
  await quirks({ list_paging: 'cursor' });
  const [named, moved, deleted, gone] = await hub.deals();
  const status = moved!.status_id === 143 ? 142 : 143;
  await hub.changeSilently(named!.id, { name: 'Changed in silence' });
  await hub.changeSilently(moved!.id, { status_id: status });
  for (const { id } of [deleted!, gone!]) await hub.changeSilently(id, null);
  const before = await synthetic();
  const previewed = await hub.preview();
  expect(previewed).toMatchObject({
    read: { complete: true, pages: 1, shape: 'data[], next_cursor' },
    counts: { changed: 2, absent: 2, missing: 0 },
    targets: [{ target_id: targetId, name: 'receiver', events: 2 }],
  });
  expect(previewed.not_repairable.map(({ what }) => what)).toContain('contact');
  const items = await hub.items(previewed.id);
  expect(items.find(({ entity }) => entity === `deal:${named!.id}`)).toMatchObject({
    action: 'changed',
    outcome: null,
    event_id: null,
    changes: expect.arrayContaining([
      { path: 'data.name', before: named!.name, after: 'Changed in silence' },
    ]),
  });
  expect([await synthetic(), receiver.hits]).toEqual([before, []]);

  const done = await hub.apply(previewed.id, { actions: ['changed', 'absent'] });
  expect(done.applied).toEqual({ items: 4, events: 4, total: 4 });
  const stored = (await synthetic()).slice(0, 4);
  expect(await ofOrigin('not_switchboard')).toEqual(expect.arrayContaining(stored));
  expect(Object.fromEntries(stored.map(({ type, entity }) => [entity, type]))).toEqual({
    [`deal:${named!.id}`]: 'deal.updated',
    [`deal:${moved!.id}`]: 'deal.status_changed',
    [`deal:${deleted!.id}`]: 'deal.deleted',
    [`deal:${gone!.id}`]: 'deal.deleted',
  });
  await until('they are delivered', () => receiver.hits.length === 4);
  const [hit] = receiver.of(stored[0]!.id);
  expect(hit!.headers).toMatchObject({ 'switchboard-synthetic': previewed.id });
  expect(hit!.headers).not.toHaveProperty('x-copilot-signature');
  expect(JSON.parse(hit!.body.toString())).toMatchObject({
    switchboard: { synthetic: true, repair_id: previewed.id, outage_ids: [] },
  });
  expect(await relay.read(eventDetail, `/events/${stored[0]!.id}`)).toMatchObject({
    repair_id: previewed.id,
    verification: null,
  });
  expect(await relay.read(entityDetail, `/entities/deal:${deleted!.id}`)).toMatchObject({
    state: 'deleted',
    source: 'synthetic',
    repair_id: previewed.id,
  });
  const copilot = await relay.read(pageOf(eventSummary), '/events?origin=copilot&limit=200');
  expect(copilot.data.filter(({ repair_id: id }) => id !== null)).toEqual([]);
  expect((await hub.preview()).counts).toMatchObject({ changed: 0, missing: 0, absent: 0 });
});

it('reads a list whose pages only a header links', async () => {
  await quirks({ list_format: 'array', list_paging: 'page', page_size: 7 });
  const [, deal] = await hub.deals();
  await hub.changeSilently(deal!.id, { name: 'On the first page' });
  const { read, counts, id } = await hub.preview();
  const { length: count } = await hub.deals();
  expect(counts).toMatchObject({ changed: 1, absent: 0 });
  expect(read).toMatchObject({ records: count, pages: Math.ceil(count / 7), complete: true });
  await hub.apply(id);
});

it('leaves out a deal of which a notification arrives meanwhile', async () => {
  const [early, late] = await hub.deals();
  for (const { id } of [early!, late!]) await hub.changeSilently(id, { name: 'Silent' });
  const { id } = await hub.start();
  const { settles_at: settlesAt } = await hub.untilState(id, 'settling');
  const waits = Date.parse(settlesAt!) - relay.clock.now();
  expect(waits).toBeGreaterThan(0);
  expect(waits).toBeLessThanOrEqual(35_000);
  await relay.upstream.panel('PATCH', `/deals/${early!.id}`, { name: 'Loud' });
  await until('it is stored', async () => {
    const found = await relay.read(pageOf(eventSummary), `/events?entity=deal:${early!.id}&origin=copilot`);
    return found.data.some(({ name }) => name === 'Loud');
  });
  const { counts, settles_at: ended } = await hub.untilState(id, 'previewed');
  expect(counts).toMatchObject({ changed: 1, arrived_meanwhile: 1 });
  expect(ended).toBeNull();
  await relay.upstream.panel('PATCH', `/deals/${late!.id}`, { name: 'Loud too' });
  await until('it is stored', async () => {
    const found = await relay.read(pageOf(eventSummary), `/events?entity=deal:${late!.id}&origin=copilot`);
    return found.data.some(({ name }) => name === 'Loud too');
  });
  expect((await hub.apply(id)).applied).toEqual({ items: 1, events: 0, total: 1 });
  expect(await hub.items(id)).toMatchObject([{ outcome: 'arrived_meanwhile', event_id: null }]);
});

it('sends its events only to the targets that it names, and to none that skip them', async () => {
  const skipping = await addTarget('skipping', other, { policy: { synthetic: 'skip' } });
  const [deal] = await hub.deals();
  await hub.changeSilently(deal!.id, { name: 'For one target' });
  const first = await hub.preview();
  expect(first.targets.map(({ name }) => name)).toEqual(['receiver']);
  await hub.apply(first.id, { target_ids: [skipping] });
  const [event] = await synthetic();
  expect(event).toMatchObject({ name: 'For one target', status: 'unmatched' });
  const explained = (await relay.ask(`/events/${event!.id}/explain`)).json as {
    targets: { reason: string }[];
  };
  expect(explained.targets.map(({ reason }) => reason)).toEqual([
    'It does not receive events that repairs have made, or not those of this repair.',
    'It does not receive events that repairs have made, or not those of this repair.',
  ]);
});

it('says why the deals cannot be read, or not all of them', async () => {
  await faults({ deals_403: 3 });
  const { id } = await hub.start();
  expect(await hub.untilState(id, 'failed')).toMatchObject({
    problem: {
      reason: expect.stringContaining('may not read deals'),
      remedy: expect.stringContaining('deals'),
    },
  });
  await faults({ deals_403: false, deals_page_repeated: true });
  await quirks({ list_paging: 'page', page_size: 7 });
  const { read, counts } = await hub.preview();
  expect(read).toMatchObject({ records: 7, complete: false, incomplete_because: expect.any(String) });
  expect(counts.absent).toBe(0);
  await faults({ deals_page_repeated: false, deals_page_500: true });
  expect((await hub.preview()).read).toMatchObject({ complete: true });
  await faults({ deals_page_500: false });
});

it('only stores what is not known as a baseline, and sends nothing', async () => {
  const { id } = await relay.upstream.panel<{ id: number }>('POST', '/deals', {
    name: 'Unknown',
    notify: false,
  });
  const before = [await synthetic(), receiver.hits.length];
  const { counts } = await hub.untilState((await hub.start({ purpose: 'baseline' })).id, 'done');
  expect(counts).toMatchObject({ missing: 1 });
  const known = await relay.read(entityDetail, `/entities/deal:${id}`);
  expect(known).toMatchObject({ name: 'Unknown', source: 'baseline', event_id: null, record: { id } });
  expect([await synthetic(), receiver.hits.length]).toEqual(before);
  await relay.upstream.panel('PATCH', `/deals/${id}`, { name: 'Known' });
  await until('it is known', async () => {
    const { name, source } = await relay.read(entityDetail, `/entities/deal:${id}`);
    return name === 'Known' && source === 'event';
  });
});

it('is alone, and can be applied for a quarter of an hour', async () => {
  const { id } = await hub.start();
  const start = () => relay.ask('/repairs', { method: 'POST', json: {} });
  expect(await start()).toMatchObject({ status: 409, json: { code: 'repair_running' } });
  await hub.untilState(id, 'previewed');
  relay.clock.move(16 * 60_000);
  const apply = (one: string) => relay.ask(`/repairs/${one}/apply`, { method: 'POST', json: {} });
  expect(await apply(id)).toMatchObject({ status: 409, json: { code: 'repair_stale' } });
  const second = (await hub.start()).id;
  expect((await relay.ask(`/repairs/${second}/cancel`, { method: 'POST' })).json).toMatchObject({
    state: 'cancelled',
  });
  expect(await apply(second)).toMatchObject({ status: 409, json: { code: 'repair_stale' } });
});

it('starts the reading again after a restart, and continues to apply', async () => {
  const [deal] = await hub.deals();
  await hub.changeSilently(deal!.id, { name: 'Before the restart' });
  const { id } = await hub.start();
  await hub.untilState(id, 'settling');
  await relay.restart();
  await hub.untilState(id, 'previewed');
  expect(await hub.items(id)).toMatchObject([{ entity: `deal:${deal!.id}` }]);
  await hub.apply(id);
  await relay.restart();
  expect(await synthetic(`&entity=deal:${deal!.id}&q=Before`)).toHaveLength(1);
});
