import {
  replayDetail,
  replaySummary,
  replayPreview,
  resent,
  type ReplayDetail,
  type ReplayPreview,
} from '../../../src/contract/replay';
import { pageOf } from '../../../src/contract/page';
import type { TargetCreated } from '../../../src/contract/target';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let switchboard: Switchboard;
let receiver: RecordingTarget;
let other: RecordingTarget;
let target: TargetCreated;
/** Identifies the events of one test by their type. */
let testNumber = 0;
let type = '';

beforeAll(async () => {
  switchboard = await Switchboard.start();
  receiver = await RecordingTarget.start();
  other = await RecordingTarget.start();
});
beforeEach(async () => {
  testNumber += 1;
  type = `deal.number_${testNumber}`;
  receiver.respondWith(200);
  other.respondWith(200);
  target = await switchboard.addTarget(`target ${testNumber}`, receiver.url, [type]);
});
afterEach(() => switchboard.removeTarget(target));
afterAll(async () => {
  await switchboard.end();
  await receiver.close();
  await other.close();
});

const start = (json: object) => switchboard.read(replayDetail, '/replays', { method: 'POST', json });
const preview = (json: object): Promise<ReplayPreview> =>
  switchboard.read(replayPreview, '/replays/preview', { method: 'POST', json });
const get = (id: string) => switchboard.read(replayDetail, `/replays/${id}`);
const act = (id: string, what: string) =>
  switchboard.read(replayDetail, `/replays/${id}/${what}`, { method: 'POST' });

/** Requests of one replay, in the order of their arrival. */
const ofReplay = (id: string, at: RecordingTarget = receiver): Hit[] =>
  at.hits.filter(({ headers }) => headers['switchboard-replay'] === id);
const idsOf = (hits: readonly Hit[]) => hits.map(({ headers }) => String(headers['webhook-id']));

async function ended(id: string): Promise<ReplayDetail> {
  let found!: ReplayDetail;
  await until(`${id} ends`, async () => (found = await get(id)).ended_at !== null);
  return found;
}

/** Emits this many events, and waits until the target has received them live. */
async function emitted(count: number, data: (i: number) => Record<string, unknown> = () => ({})) {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await switchboard.emit(type, data(i)));
  await until('the live deliveries arrive', () => ids.every((id) => receiver.of(id).length > 0));
  for (const id of ids)
    await switchboard.deliveryOnce(
      id,
      target.id,
      ({ state }) => state !== 'pending' && state !== 'in_flight',
    );
  return ids;
}

describe('a replay of many events', () => {
  it('sends what its preview counted to the original targets, once each, and reports the outcome', async () => {
    const ids = await emitted(12);
    const elsewhere = await switchboard.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const request = { filter: { types: [type] } };
    const counted = await preview(request);
    expect(counted).toMatchObject({
      events: 12,
      deliveries: 12,
      estimated: false,
      by_type: [{ type, events: 12 }],
      by_target: [{ target_id: target.id, deliveries: 12 }],
      duration_s: null,
    });
    const first = await switchboard.event(ids[0]!);
    const last = await switchboard.event(ids.at(-1)!);
    expect([counted.oldest_at, counted.newest_at]).toEqual([first.received_at, last.received_at]);

    const created = await start(request);
    expect(created).toMatchObject({ total: 12, ended_at: null });
    // System events may have been stored in between.
    expect(created.until_seq).toBeGreaterThanOrEqual(counted.until_seq);
    const done = await ended(created.id);
    expect(idsOf(ofReplay(created.id)).toSorted()).toEqual(ids.toSorted());
    expect(ofReplay(created.id, other)).toEqual([]);
    expect(done).toMatchObject({
      state: 'done',
      events: 12,
      deliveries: 12,
      report: [
        { target_id: target.id, deliveries: 12, sent: 12, open: 0, succeeded: 12, dead: 0, cancelled: 0 },
      ],
    });
    const [hit] = ofReplay(created.id);
    expect(hit!.headers).toMatchObject({ 'switchboard-trigger': 'replay', 'switchboard-attempt': '1' });
    expect(hit!.body).toEqual(receiver.of(String(hit!.headers['webhook-id']))[0]!.body);
    const { data } = await switchboard.read(pageOf(replaySummary), '/replays?limit=1');
    expect(data).toMatchObject([{ id: created.id, state: 'done' }]);
    await switchboard.removeTarget(elsewhere);
  });

  it('goes to other targets if they are named', async () => {
    const ids = await emitted(3);
    const elsewhere = await switchboard.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const created = await start({ filter: { types: [type] }, target_ids: [elsewhere.id] });
    await ended(created.id);
    expect(idsOf(ofReplay(created.id, other)).toSorted()).toEqual(ids.toSorted());
    expect(ofReplay(created.id)).toEqual([]);
    await switchboard.removeTarget(elsewhere);
  });

  it('leaves out events that arrive after its start', async () => {
    const before = await emitted(3);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first arrives', () => ofReplay(created.id).length === 1);
    await act(created.id, 'pause');
    const later = await switchboard.emit(type);
    await act(created.id, 'resume');
    for (let sent = 1; sent < before.length; sent += 1) {
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    switchboard.clock.move(50 * SECOND);
    expect(await ended(created.id)).toMatchObject({ total: 3, events: 3 });
    expect(idsOf(ofReplay(created.id))).toEqual(before);
    expect(receiver.of(later)).toHaveLength(1);
  });

  it('includes what the filter names: entity, text, time, original outcome and target', async () => {
    const [one = '', two = ''] = await emitted(2, (i) => ({
      id: 7_000 + i,
      name: i === 0 ? 'Alpha' : 'Beta',
    }));
    const since = new Date(switchboard.clock.now()).toISOString();
    receiver.respondWith(400);
    const failing = await switchboard.addTarget(`failing ${testNumber}`, receiver.url, [type], {
      policy: { retry: { delays_s: [] } },
    });
    const three = await switchboard.emit(type, { id: 7_000, name: 'Gamma' });
    await switchboard.deliveryOnce(three, failing.id, ({ state }) => state === 'dead');
    receiver.respondWith(200);
    const first = await switchboard.event(one);
    const cases: [filter: object, expected: string[]][] = [
      [{ q: 'beta' }, [two]],
      [{ since }, [three]],
      [{ until: since }, [one, two]],
      [{ outcomes: ['dead'] }, [three]],
      [{ outcomes: ['succeeded'] }, [one, two]],
      [{ target: failing.id }, [three]],
      [{ types: ['deal.nothing*'] }, []],
      [{ types: [`*l.number_${testNumber}`], until_seq: first.seq }, [one]],
      ...(first.entity === null ? [] : [[{ entity: first.entity }, [one, three]] as [object, string[]]]),
    ];
    for (const [filter, expected] of cases) {
      const request = { filter: { types: [type], ...filter }, target_ids: [target.id] };
      expect({ filter, events: (await preview(request)).events }).toEqual({
        filter,
        events: expected.length,
      });
      const created = await start(request);
      await ended(created.id);
      expect({ filter, ids: idsOf(ofReplay(created.id)).toSorted() }).toEqual({
        filter,
        ids: expected.toSorted(),
      });
    }
    await switchboard.removeTarget(failing);
  });

  it('counts separately what it leaves out because a target is disabled', async () => {
    const disabled = await switchboard.addTarget(`disabled ${testNumber}`, receiver.url, [type]);
    const id = await switchboard.emit(type);
    await switchboard.deliveryOnce(id, disabled.id, ({ state }) => state === 'succeeded');
    await switchboard.ask(`/targets/${disabled.id}`, { method: 'PATCH', json: { enabled: false } });
    const request = { filter: { types: [type], target: disabled.id } };
    const leftOut = [{ target_id: disabled.id, deliveries: 1 }];
    expect(await preview(request)).toMatchObject({ events: 0, by_target: [], disabled_targets: leftOut });
    const named = await preview({ ...request, target_ids: [disabled.id] });
    expect(named).toMatchObject({ events: 1, by_target: leftOut, disabled_targets: [] });
    await switchboard.removeTarget(disabled);
  });

  it('goes only to the targets with the requested outcome', async () => {
    receiver.respondWith(400);
    const failing = await switchboard.addTarget(`failing ${testNumber}`, receiver.url, [type], {
      policy: { retry: { delays_s: [] } },
    });
    const fine = await switchboard.addTarget(`fine ${testNumber}`, other.url, [type]);
    const id = await switchboard.emit(type);
    await switchboard.deliveryOnce(id, failing.id, ({ state }) => state === 'dead');
    await switchboard.deliveryOnce(id, fine.id, ({ state }) => state === 'succeeded');
    receiver.respondWith(200);
    const request = { filter: { types: [type], outcomes: ['dead'] } };
    expect((await preview(request)).by_target).toEqual([{ target_id: failing.id, deliveries: 1 }]);
    const created = await start(request);
    expect(await ended(created.id)).toMatchObject({ report: [{ target_id: failing.id, succeeded: 1 }] });
    expect(ofReplay(created.id)).toHaveLength(1);
    expect(ofReplay(created.id, other)).toEqual([]);
    await switchboard.removeTarget(failing);
    await switchboard.removeTarget(fine);
  });
});

describe('the rate of a replay', () => {
  it('is observed, by the clock', async () => {
    const ids = await emitted(6);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first arrives', () => ofReplay(created.id).length === 1);
    for (let sent = 1; sent < ids.length; sent += 1) {
      // Another replay ends, so this one has had its turns meanwhile.
      const elsewhere = await start({ filter: { types: ['nothing.at_all'] } });
      await ended(elsewhere.id);
      expect((await get(created.id)).events).toBe(sent);
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    await ended(created.id);
    expect(idsOf(ofReplay(created.id))).toEqual(ids);
  });

  it('follows the intervals between arrivals, divided by the factor', async () => {
    const one = await switchboard.emit(type);
    switchboard.clock.move(10 * MINUTE);
    const second = await switchboard.emit(type);
    switchboard.clock.move(30 * MINUTE);
    const third = await switchboard.emit(type);
    for (const id of [one, second, third])
      await switchboard.deliveryOnce(id, target.id, ({ state }) => state === 'succeeded');
    const request = { filter: { types: [type] }, rate: { pace: 10 } };
    expect((await preview(request)).duration_s).toBeCloseTo(4 * 60, 0);
    const created = await start(request);
    const sent = () => idsOf(ofReplay(created.id));
    await until('the first arrives', () => sent().length === 1);
    switchboard.clock.move(50 * SECOND);
    await until('the replay has run', async () => (await get(created.id)).events === 1);
    expect(sent()).toEqual([one]);
    switchboard.clock.move(11 * SECOND);
    await until('the second arrives', () => sent().length === 2);
    switchboard.clock.move(170 * SECOND);
    expect((await get(created.id)).eta_s).toBeCloseTo(180, 0);
    expect(sent()).toEqual([one, second]);
    switchboard.clock.move(10 * SECOND);
    await ended(created.id);
    expect(sent()).toEqual([one, second, third]);
  });
});

describe('a running replay', () => {
  it('stops while it is paused, and continues at its position', async () => {
    const ids = await emitted(4);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first arrives', () => ofReplay(created.id).length === 1);
    expect(await act(created.id, 'pause')).toMatchObject({ state: 'paused', events: 1, eta_s: null });
    switchboard.clock.move(10 * MINUTE);
    const elsewhere = await start({ filter: { types: ['nothing.at_all'] } });
    await ended(elsewhere.id);
    expect(ofReplay(created.id)).toHaveLength(1);
    expect(await act(created.id, 'resume')).toMatchObject({ state: 'running', events: 1 });
    for (let sent = 1; sent < ids.length; sent += 1) {
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    await ended(created.id);
    expect(idsOf(ofReplay(created.id))).toEqual(ids);
  });

  it('is cancelled with its queued deliveries: nothing is sent afterwards', async () => {
    const ids = await emitted(5);
    await switchboard.ask(`/targets/${target.id}/pause`, { method: 'POST' });
    const created = await start({ filter: { types: [type] } });
    await until('the deliveries are created', async () => (await get(created.id)).deliveries === ids.length);
    expect(await act(created.id, 'cancel')).toMatchObject({ state: 'cancelling' });
    expect(await ended(created.id)).toMatchObject({
      state: 'cancelled',
      report: [{ target_id: target.id, deliveries: 5, sent: 0, open: 0, cancelled: 5 }],
    });
    await switchboard.ask(`/targets/${target.id}/resume`, { method: 'POST' });
    const live = await switchboard.emit(type);
    await until('the live event arrives', () => receiver.of(live).length === 1);
    expect(ofReplay(created.id)).toEqual([]);
    const response = await switchboard.ask(`/replays/${created.id}/resume`, { method: 'POST' });
    expect(response).toMatchObject({ status: 409, json: { code: 'replay_ended' } });
  });

  it('gives priority to live deliveries', async () => {
    const slow = await switchboard.addTarget(`slow ${testNumber}`, other.url, [type], {
      policy: { concurrency: 2 },
    });
    const ids = await emitted(30);
    for (const id of ids) await switchboard.deliveryOnce(id, slow.id, ({ state }) => state === 'succeeded');
    other.respondWith((response) => setTimeout(() => response.writeHead(200).end(), 40));
    const created = await start({ filter: { types: [type] }, target_ids: [slow.id] });
    await until('it has started', () => ofReplay(created.id, other).length > 0);
    const live = await switchboard.emit(type);
    await until('the live event arrives', () => other.of(live).length === 1);
    expect(ofReplay(created.id, other).length).toBeLessThan(15);
    await ended(created.id);
    await switchboard.removeTarget(slow);
  });

  it('has separate lanes: stuck live deliveries do not delay it', async () => {
    const ordered = await switchboard.addTarget(`ordered ${testNumber}`, other.url, [type], {
      policy: { ordering: 'entity', retry: { delays_s: [3_600] } },
    });
    other.respondWith(500);
    const stuck = await switchboard.emit(type, { id: 9_001 });
    await switchboard.deliveryOnce(stuck, ordered.id, ({ state }) => state === 'retrying');
    other.respondWith(200);
    const behind = await switchboard.emit(type, { id: 9_001, name: 'Behind' });
    await switchboard.deliveryOnce(behind, ordered.id, ({ state }) => state === 'waiting');
    const created = await start({ filter: { types: [type], q: 'behind' }, target_ids: [ordered.id] });
    expect(await ended(created.id)).toMatchObject({ report: [{ target_id: ordered.id, succeeded: 1 }] });
    expect(idsOf(ofReplay(created.id, other))).toEqual([behind]);
    expect(other.of(behind)).toHaveLength(1);
    expect(other.of(stuck)).toHaveLength(1);
    await switchboard.removeTarget(ordered);
  });

  it('continues at its exact position after a stop', async () => {
    const ids = await emitted(6);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    for (let sent = 0; sent < 3; sent += 1) {
      await until('the next arrives', () => ofReplay(created.id).length > sent);
      switchboard.clock.move(50 * SECOND);
    }
    await switchboard.stop();
    switchboard = await Switchboard.start({ after: switchboard });
    const sentBefore = ofReplay(created.id).length;
    for (let sent = sentBefore; sent < ids.length; sent += 1) {
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    await ended(created.id);
    expect(idsOf(ofReplay(created.id))).toEqual(ids);
  });
});

describe('an edited event', () => {
  it('is sent manually with the new payload, marked, without the signature of Co-Pilot, and the old one is kept', async () => {
    const [id] = await emitted(1);
    const live = receiver.of(id!)[0]!;
    const resend = (body: unknown) =>
      switchboard.read(resent, `/events/${id!}/resend`, {
        method: 'POST',
        json: { body, target_ids: [target.id] },
      });
    const created = await resend({ event: type, data: { edited: 1 } });
    await until('the edited event arrives', () => receiver.of(id!).length === 2);
    const edited = receiver.of(id!)[1]!;
    expect(edited.body.toString()).toBe(JSON.stringify({ event: type, data: { edited: 1 } }));
    expect(edited.headers).toMatchObject({
      'webhook-id': id,
      'switchboard-edited': 'true',
      'switchboard-trigger': 'manual',
      'switchboard-delivery': created.delivery_ids[0],
    });
    expect(live.headers).toHaveProperty(SIGNATURE_HEADER);
    expect(live.headers).not.toHaveProperty('switchboard-edited');
    expect(edited.headers).not.toHaveProperty(SIGNATURE_HEADER);
    expect(await switchboard.delivery(created.delivery_ids[0]!)).toMatchObject({
      trigger: 'manual',
      edited: true,
    });
    expect((await switchboard.ask(`/events/${id!}/body`)).text).toBe(live.body.toString());

    await resend('any text');
    await until('the text arrives', () => receiver.of(id!).length === 3);
    expect(receiver.of(id!)[2]!.body.toString()).toBe('any text');
    await switchboard.ask(`/deliveries/${created.delivery_ids[0]!}/retry`, { method: 'POST' });
    await until('the retry arrives', () => receiver.of(id!).length === 4);
    expect(receiver.of(id!)[3]!.body).toEqual(edited.body);
    expect(receiver.of(id!)[3]!.headers).toMatchObject({ 'switchboard-edited': 'true' });
  });
});

it('a replay of everything must be asked for', async () => {
  await emitted(1);
  const everything = await preview({ all: true });
  expect(everything.events).toBe(1);
  expect(await preview({ all: true, filter: { until_seq: everything.until_seq } })).toEqual(everything);
  const { filter, total, id } = await start({ all: true, rate: { per_second: 0.02 } });
  expect({ filter, total }).toEqual({ filter: {}, total: everything.events });
  await switchboard.ask(`/replays/${id}/cancel`, { method: 'POST' });

  const [missing, ambiguous] = ['selection_missing', 'selection_ambiguous'];
  const cases: [request: object, code: string | undefined][] = [
    [{}, missing],
    [{ all: false, filter: {} }, missing],
    [{ target_ids: [`tgt_${'0'.repeat(26)}`] }, missing],
    [{ filter: { q: ' ', payload: {} } }, missing],
    [{ all: true, filter: { types: ['deal.*'] } }, ambiguous],
  ];
  for (const path of ['/replays', '/replays/preview'])
    for (const [json, code] of cases) {
      const response = await switchboard.ask(path, { method: 'POST', json });
      expect({ asked: json, ...response }).toMatchObject({ status: 422, json: { code } });
    }
});

it('an invalid replay is rejected', async () => {
  const nothing = `rpl_${'0'.repeat(26)}`;
  const cases = [
    ['GET', `/replays/${nothing}`, undefined, 404, 'replay_unknown'],
    ['POST', `/replays/${nothing}/cancel`, undefined, 404, 'replay_unknown'],
    ['POST', '/replays', { all: true, target_ids: [`tgt_${'0'.repeat(26)}`] }, 404, 'target_unknown'],
    ['POST', '/replays', { rate: { per_second: 0 } }, 400, 'invalid_request'],
    ['POST', '/replays', { filter: { what: 1 } }, 400, 'invalid_request'],
    ['POST', '/replays/preview', { filter: { types: ['deal[x]'] } }, 400, 'invalid_request'],
  ] as const;
  for (const [method, path, json, status, code] of cases) {
    const response = await switchboard.ask(path, { method, ...(json !== undefined && { json }) });
    expect({ path, asked: json, ...response }).toMatchObject({ status, json: { code } });
  }
});
