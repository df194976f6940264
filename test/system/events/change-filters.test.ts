import type { DeliveryDetail } from '../../../src/contract/delivery';
import {
  eventCount,
  type EventDetail,
  type EventSummary,
  type ListedEvent,
} from '../../../src/contract/event';
import type { Explanation } from '../../../src/contract/explanation';
import type { FilterPreview } from '../../../src/contract/filter';
import type { Ledger } from '../../../src/contract/ledger';
import type { Page } from '../../../src/contract/page';
import type { Replay } from '../../../src/contract/replay';
import type { Target, TargetCreated } from '../../../src/contract/target';
import { randomGenerator } from '../../support/random-generator';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const BECAME_142 = { 'data.status_id': { $became: 142 } };
const START = Date.parse('2026-03-02T09:00:00.000Z');

let hub: Switchboard;
let receiver: RecordingTarget;
let deals = 0;

beforeAll(async () => {
  hub = await Switchboard.start();
  receiver = await RecordingTarget.start();
});
afterAll(async () => {
  await hub.end();
  await receiver.close();
});

const add = (name: string, more: object = {}): Promise<TargetCreated> =>
  hub.addTarget(name, receiver.url, ['deal.*'], { filter: BECAME_142, ...more });

/** Sends an event about a deal, whose record has this version. */
const change = (id: number, version: number, data: object, type = 'deal.updated') =>
  hub.emit(type, { id, updated_at: new Date(START + version * 1_000).toISOString(), ...data });

/** Once the router has evaluated it and it was delivered, or not. */
async function settled(id: string): Promise<EventDetail> {
  let event!: EventDetail;
  await until(`${id} is settled`, async () => {
    event = await hub.event(id);
    return event.status !== 'pending';
  });
  return event;
}

async function eventsOf(target: string): Promise<string[]> {
  const path = `/deliveries?target=${target}&limit=200`;
  const { data } = (await hub.ask(path)).json as Page<DeliveryDetail>;
  return data.map(({ event_id: id }) => id).toSorted();
}

async function explained(event: string, { id }: { id: string }) {
  const { targets } = (await hub.ask(`/events/${event}/explain`)).json as Explanation;
  return targets.find(({ target_id: target }) => target === id)!;
}

const create = (more: object) =>
  hub.ask('/targets', {
    method: 'POST',
    json: { name: 'unfit', url: receiver.url, filter: BECAME_142, ...more },
  });

const newDeal = () => (deals += 1);

describe('a target whose filter compares with the state before', () => {
  let target: TargetCreated;

  beforeEach(async () => {
    target = await add(`target ${deals}`);
    expect(target.routing).toBe('routed');
  });
  afterEach(() => hub.removeTarget(target));

  it('receives the event by which a value became another one, and no other', async () => {
    const id = newDeal();
    await change(id, 1, { status_id: 1 }, 'deal.created');
    await change(id, 2, { status_id: 2 });
    const became = await change(id, 3, { status_id: 142 });
    const renamed = await change(id, 4, { status_id: 142, name: 'New' });
    expect((await settled(renamed)).status).toBe('unmatched');
    expect((await settled(became)).status).toBe('succeeded');
    expect(await eventsOf(target.id)).toEqual([became]);
    expect(receiver.of(became)[0]!.headers).toMatchObject({ 'switchboard-trigger': 'live' });
    expect((await explained(renamed, target)).reason).toBe(
      `Filtered out: data.status_id must become 142, but it already was 142 in ${became}.`,
    );
  });

  it('evaluates each event of a burst after those before it', async () => {
    const id = newDeal();
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, i) => change(id, i + 1, { status_id: i % 3 === 0 ? 142 : 1 })),
    );
    for (const event of sent) await settled(event);
    const { data } = (await hub.ask(`/events?entity=deal:${id}&field=data.status_id&limit=100`))
      .json as Page<ListedEvent>;
    // Versions and `seq`s are in different orders; of those before it, an event is compared with the highest below it.
    const versions = new Map(sent.map((event, i) => [event, i + 1]));
    const bySeq = data.toReversed().map((event) => ({ ...event, version: versions.get(event.id)! }));
    const expected = bySeq.filter(({ version, fields }, i) => {
      const earlier = bySeq.slice(Math.max(0, i - 16), i).filter((one) => one.version < version);
      const before = earlier.toSorted((a, b) => b.version - a.version)[0];
      return fields!['data.status_id'] === 142 && before?.fields!['data.status_id'] !== 142;
    });
    expect(await eventsOf(target.id)).toEqual(expected.map((event) => event.id).toSorted());
  });

  it('receives a late event that became so when it happened', async () => {
    const id = newDeal();
    await change(id, 1, { status_id: 1 }, 'deal.created');
    const newer = await change(id, 3, { status_id: 3 });
    const late = await change(id, 2, { status_id: 142 });
    expect((await settled(late)).status).toBe('succeeded');
    expect((await hub.event(newer)).status).toBe('unmatched');
    expect((await hub.event(late)).late).toBe(true);
  });

  it('receives what cannot be excluded, unless its policy skips that', async () => {
    const skipping = await add('skipping', { policy: { unknown_previous: 'skip' } });
    const id = newDeal();
    const first = await change(id, 1, { status_id: 142 });
    await settled(first);
    const [away, back] = [await change(id, 2, { status_id: 1 }), await change(id, 3, { status_id: 142 })];
    await settled(back);
    expect(await eventsOf(target.id)).toEqual([first, back].toSorted());
    expect(await eventsOf(skipping.id)).toEqual([back]);
    expect((await explained(first, skipping)).reason).toMatch(/state before the event is not known/);
    expect((await explained(away, target)).reason).toMatch(/must become 142, but it is 1/);
    await hub.removeTarget(skipping);
  });

  it('receives the same live as a preview, a list, a count and a replay find', async () => {
    hub.clock.move(60_000);
    const since = encodeURIComponent(new Date(hub.clock.now()).toISOString());
    const random = randomGenerator(20_261_128);
    const below = (limit: number) => Math.floor(random() * limit);
    const ids = [newDeal(), newDeal(), newDeal(), newDeal()];
    let last = '';
    for (let i = 0; i < 60; i += 1)
      last = await change(ids[below(4)]!, i - below(5), { status_id: below(2) === 0 ? 142 : 1 });
    await settled(last);
    const live = await eventsOf(target.id);
    expect(live.length).toBeGreaterThan(10);
    const query = { events: ['deal.*'], filter: BECAME_142, last: 200 };
    const preview = (await hub.ask('/targets/preview', { method: 'POST', json: query }))
      .json as FilterPreview;
    expect(
      preview.data
        .slice(0, live.length)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(live);
    const [newest] = preview.data;
    expect(newest!.changes[0]).toEqual({ path: 'data.status_id', before: 1, after: 142 });
    const payload = encodeURIComponent(JSON.stringify(BECAME_142));
    const listed = (await hub.ask(`/events?payload=${payload}&since=${since}&limit=200`))
      .json as Page<EventSummary>;
    const found = listed.data.map(({ id }) => id);
    expect(found.toSorted()).toEqual(live);
    let counted = { count: 0, estimated: true };
    // A busy machine may not count them within the second that it may take.
    await until('all are counted', async () => {
      counted = await hub.read(eventCount, `/events/count?payload=${payload}&since=${since}`);
      return !counted.estimated;
    });
    expect(counted).toEqual({ count: found.length, estimated: false });
    const other = await hub.addTarget('other', receiver.url, ['nothing']);
    const seqs = await Promise.all(live.map(async (id) => (await hub.event(id)).seq));
    const filter = { seqs: [...seqs, ...seqs.map((seq) => seq + 1)], payload: BECAME_142 };
    const started = (await hub.ask('/replays', { method: 'POST', json: { filter, target_ids: [other.id] } }))
      .json as Replay;
    await until('the replay ends', async () => {
      const { state } = (await hub.ask(`/replays/${started.id}`)).json as { state: string };
      return state === 'done';
    });
    expect(await eventsOf(other.id)).toEqual(live);
    await hub.removeTarget(other);
  });

  it('receives every event once, whatever its filter was when they were stored', async () => {
    const id = newDeal();
    const patch = (filter: object | null) =>
      hub.ask(`/targets/${target.id}`, { method: 'PATCH', json: { filter } });
    await patch({ 'data.n': { $changed: true } });
    const sent: Promise<string>[] = [];
    for (let i = 0; i < 40; i += 1) {
      sent.push(change(id, i + 1, { n: i }));
      if (i % 5 === 4)
        expect((await patch(i % 10 === 4 ? null : { 'data.n': { $changed: true } })).status).toBe(200);
    }
    const ids = await Promise.all(sent);
    await patch(null);
    await until('it is no longer routed', async () => {
      const { routing } = (await hub.ask(`/targets/${target.id}`)).json as Target;
      return routing === null;
    });
    for (const event of ids) await settled(event);
    expect(await eventsOf(target.id)).toEqual(ids.toSorted());
  });

  it('is filled with earlier events, none of them twice', async () => {
    const id = newDeal();
    const since = new Date(hub.clock.now()).toISOString();
    const first = await change(id, 1, { status_id: 142 }, 'deal.created');
    await change(id, 2, { status_id: 1 });
    const filled = await add('filled', { backfill_since: since });
    const later = await change(id, 3, { status_id: 142 });
    await settled(later);
    await until('the replay ends', async () => (await eventsOf(filled.id)).includes(first));
    const ofDeal = (await eventsOf(filled.id)).filter((event) => [first, later].includes(event));
    expect(ofDeal).toEqual([first, later].toSorted());
    await hub.removeTarget(filled);
  });

  it('continues where it was after a restart, and the check finds nothing wrong', async () => {
    const id = newDeal();
    await change(id, 1, { status_id: 1 });
    const became = await change(id, 2, { status_id: 142 });
    await hub.restart();
    expect((await settled(became)).status).toBe('succeeded');
    expect(await eventsOf(target.id)).toContain(became);
    expect((await hub.ask('/ledger', { method: 'POST' })).json as Ledger).toMatchObject({
      balanced: true,
      findings: [],
    });
  });
});

it('rejects settings that do not fit a filter on changes', async () => {
  expect(await create({ policy: { duplicates: 'deliver' } })).toMatchObject({
    status: 422,
    json: { code: 'target_invalid', errors: [{ path: 'policy.duplicates' }] },
  });
  expect(await create({ format: 'slack', events: ['relay.*'] })).toMatchObject({
    status: 422,
    json: { code: 'target_invalid', errors: [{ path: 'filter' }] },
  });
});
