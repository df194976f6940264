import {
  replayDetail,
  replayPlan,
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

let board: Switchboard;
let place: RecordingTarget;
let other: RecordingTarget;
let target: TargetCreated;
/** Where a test's own events go, told apart by their type. */
let testNumber = 0;
let type = '';

beforeAll(async () => {
  board = await Switchboard.start();
  place = await RecordingTarget.start();
  other = await RecordingTarget.start();
});
beforeEach(async () => {
  testNumber += 1;
  type = `deal.number_${testNumber}`;
  place.answer(200);
  other.answer(200);
  target = await board.addTarget(`target ${testNumber}`, place.url, [type]);
});
afterEach(() => board.removeTarget(target));
afterAll(async () => {
  await board.end();
  await place.close();
  await other.close();
});

const start = (json: object) => board.read(replayDetail, '/replays', { method: 'POST', json });
const preview = (json: object): Promise<ReplayPreview> =>
  board.read(replayPreview, '/replays/preview', { method: 'POST', json });
const get = (id: string) => board.read(replayDetail, `/replays/${id}`);
const act = (id: string, what: string) =>
  board.read(replayDetail, `/replays/${id}/${what}`, { method: 'POST' });

/** What came of one replay, in the order in which it came. */
const ofReplay = (id: string, at: RecordingTarget = place): Hit[] =>
  at.hits.filter(({ headers }) => headers['switchboard-replay'] === id);
const idsOf = (hits: readonly Hit[]) => hits.map(({ headers }) => String(headers['webhook-id']));

async function ended(id: string): Promise<ReplayDetail> {
  let found!: ReplayDetail;
  await until(`the end of ${id}`, async () => (found = await get(id)).ended_at !== null);
  return found;
}

/** So many events that have come to the target live. */
async function emitted(count: number, data: (i: number) => Record<string, unknown> = () => ({})) {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await board.emit(type, data(i)));
  await until('the live deliveries', () => ids.every((id) => place.of(id).length > 0));
  for (const id of ids)
    await board.deliveryOnce(id, target.id, ({ state }) => state !== 'pending' && state !== 'in_flight');
  return ids;
}

describe('a replay of many', () => {
  it('sends to the original targets what its preview counted, once each, and tells at the end', async () => {
    const ids = await emitted(12);
    const elsewhere = await board.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const wanted = { filter: { types: [type] } };
    const counted = await preview(wanted);
    expect(counted).toMatchObject({
      events: 12,
      deliveries: 12,
      estimated: false,
      by_type: [{ type, events: 12 }],
      by_target: [{ target_id: target.id, deliveries: 12 }],
      duration_s: null,
    });
    const first = await board.event(ids[0]!);
    const last = await board.event(ids.at(-1)!);
    expect([counted.oldest_at, counted.newest_at]).toEqual([first.received_at, last.received_at]);

    const made = await start(wanted);
    expect(made).toMatchObject({ total: 12, ended_at: null });
    // An event of Switchboard's own may have come in since.
    expect(made.until_seq).toBeGreaterThanOrEqual(counted.until_seq);
    const done = await ended(made.id);
    expect(idsOf(ofReplay(made.id)).toSorted()).toEqual(ids.toSorted());
    expect(ofReplay(made.id, other)).toEqual([]);
    expect(done).toMatchObject({
      state: 'done',
      events: 12,
      deliveries: 12,
      report: [
        { target_id: target.id, deliveries: 12, sent: 12, open: 0, succeeded: 12, dead: 0, cancelled: 0 },
      ],
    });
    const [hit] = ofReplay(made.id);
    expect(hit!.headers).toMatchObject({ 'switchboard-trigger': 'replay', 'switchboard-attempt': '1' });
    expect(hit!.body).toEqual(place.of(String(hit!.headers['webhook-id']))[0]!.body);
    const { data } = await board.read(pageOf(replayPlan), '/replays?limit=1');
    expect(data).toMatchObject([{ id: made.id, state: 'done' }]);
    await board.removeTarget(elsewhere);
  });

  it('goes to other targets where they are named', async () => {
    const ids = await emitted(3);
    const elsewhere = await board.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const made = await start({ filter: { types: [type] }, target_ids: [elsewhere.id] });
    await ended(made.id);
    expect(idsOf(ofReplay(made.id, other)).toSorted()).toEqual(ids.toSorted());
    expect(ofReplay(made.id)).toEqual([]);
    await board.removeTarget(elsewhere);
  });

  it('leaves out what arrives once it was started', async () => {
    const before = await emitted(3);
    const made = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first', () => ofReplay(made.id).length === 1);
    await act(made.id, 'pause');
    const later = await board.emit(type);
    await act(made.id, 'resume');
    for (let sent = 1; sent < before.length; sent += 1) {
      board.clock.move(50 * SECOND);
      await until('the next', () => ofReplay(made.id).length > sent);
    }
    board.clock.move(50 * SECOND);
    expect(await ended(made.id)).toMatchObject({ total: 3, events: 3 });
    expect(idsOf(ofReplay(made.id))).toEqual(before);
    expect(place.of(later)).toHaveLength(1);
  });

  it('takes what the filter names: entity, text, time, original outcome and target', async () => {
    const [one = '', two = ''] = await emitted(2, (i) => ({
      id: 7_000 + i,
      name: i === 0 ? 'Alpha' : 'Beta',
    }));
    const since = new Date(board.clock.now()).toISOString();
    place.answer(400);
    const failing = await board.addTarget(`failing ${testNumber}`, place.url, [type], {
      policy: { retry: { delays_s: [] } },
    });
    const three = await board.emit(type, { id: 7_000, name: 'Gamma' });
    await board.deliveryOnce(three, failing.id, ({ state }) => state === 'dead');
    place.answer(200);
    const first = await board.event(one);
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
      const wanted = { filter: { types: [type], ...filter }, target_ids: [target.id] };
      expect({ filter, events: (await preview(wanted)).events }).toEqual({ filter, events: expected.length });
      const made = await start(wanted);
      await ended(made.id);
      expect({ filter, ids: idsOf(ofReplay(made.id)).toSorted() }).toEqual({
        filter,
        ids: expected.toSorted(),
      });
    }
    await board.removeTarget(failing);
  });

  it('goes where the outcome was as asked, and not where it was another', async () => {
    place.answer(400);
    const failing = await board.addTarget(`failing ${testNumber}`, place.url, [type], {
      policy: { retry: { delays_s: [] } },
    });
    const fine = await board.addTarget(`fine ${testNumber}`, other.url, [type]);
    const id = await board.emit(type);
    await board.deliveryOnce(id, failing.id, ({ state }) => state === 'dead');
    await board.deliveryOnce(id, fine.id, ({ state }) => state === 'succeeded');
    place.answer(200);
    const wanted = { filter: { types: [type], outcomes: ['dead'] } };
    expect((await preview(wanted)).by_target).toEqual([{ target_id: failing.id, deliveries: 1 }]);
    const made = await start(wanted);
    expect(await ended(made.id)).toMatchObject({ report: [{ target_id: failing.id, succeeded: 1 }] });
    expect(ofReplay(made.id)).toHaveLength(1);
    expect(ofReplay(made.id, other)).toEqual([]);
    await board.removeTarget(failing);
    await board.removeTarget(fine);
  });
});

describe('the rate of a replay', () => {
  it('is kept to, by the clock', async () => {
    const ids = await emitted(6);
    const made = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first', () => ofReplay(made.id).length === 1);
    for (let sent = 1; sent < ids.length; sent += 1) {
      // Another one comes to its end: this one had its turns meanwhile.
      const elsewhere = await start({ filter: { types: ['nothing.at_all'] } });
      await ended(elsewhere.id);
      expect((await get(made.id)).events).toBe(sent);
      board.clock.move(50 * SECOND);
      await until('the next', () => ofReplay(made.id).length > sent);
    }
    await ended(made.id);
    expect(idsOf(ofReplay(made.id))).toEqual(ids);
  });

  it('follows the pauses between arrivals, divided by the factor', async () => {
    const one = await board.emit(type);
    board.clock.move(10 * MINUTE);
    const second = await board.emit(type);
    board.clock.move(30 * MINUTE);
    const third = await board.emit(type);
    for (const id of [one, second, third])
      await board.deliveryOnce(id, target.id, ({ state }) => state === 'succeeded');
    const wanted = { filter: { types: [type] }, rate: { pace: 10 } };
    expect((await preview(wanted)).duration_s).toBeCloseTo(4 * 60, 0);
    const made = await start(wanted);
    const sent = () => idsOf(ofReplay(made.id));
    await until('the first', () => sent().length === 1);
    board.clock.move(50 * SECOND);
    await until('a look', async () => (await get(made.id)).events === 1);
    expect(sent()).toEqual([one]);
    board.clock.move(11 * SECOND);
    await until('the second', () => sent().length === 2);
    board.clock.move(170 * SECOND);
    expect((await get(made.id)).eta_s).toBeCloseTo(180, 0);
    expect(sent()).toEqual([one, second]);
    board.clock.move(10 * SECOND);
    await ended(made.id);
    expect(sent()).toEqual([one, second, third]);
  });
});

describe('a replay under way', () => {
  it('stands still while it is paused, and goes on where it stood', async () => {
    const ids = await emitted(4);
    const made = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first', () => ofReplay(made.id).length === 1);
    expect(await act(made.id, 'pause')).toMatchObject({ state: 'paused', events: 1, eta_s: null });
    board.clock.move(10 * MINUTE);
    const elsewhere = await start({ filter: { types: ['nothing.at_all'] } });
    await ended(elsewhere.id);
    expect(ofReplay(made.id)).toHaveLength(1);
    expect(await act(made.id, 'resume')).toMatchObject({ state: 'running', events: 1 });
    for (let sent = 1; sent < ids.length; sent += 1) {
      board.clock.move(50 * SECOND);
      await until('the next', () => ofReplay(made.id).length > sent);
    }
    await ended(made.id);
    expect(idsOf(ofReplay(made.id))).toEqual(ids);
  });

  it('is cancelled with what it had open: nothing of it goes out afterwards', async () => {
    const ids = await emitted(5);
    await board.ask(`/targets/${target.id}/pause`, { method: 'POST' });
    const made = await start({ filter: { types: [type] } });
    await until('the deliveries', async () => (await get(made.id)).deliveries === ids.length);
    expect(await act(made.id, 'cancel')).toMatchObject({ state: 'cancelling' });
    expect(await ended(made.id)).toMatchObject({
      state: 'cancelled',
      report: [{ target_id: target.id, deliveries: 5, sent: 0, open: 0, cancelled: 5 }],
    });
    await board.ask(`/targets/${target.id}/resume`, { method: 'POST' });
    const live = await board.emit(type);
    await until('what is live', () => place.of(live).length === 1);
    expect(ofReplay(made.id)).toEqual([]);
    const answer = await board.ask(`/replays/${made.id}/resume`, { method: 'POST' });
    expect(answer).toMatchObject({ status: 409, json: { code: 'replay_ended' } });
  });

  it('lets what is live go ahead of it', async () => {
    const slow = await board.addTarget(`slow ${testNumber}`, other.url, [type], {
      policy: { concurrency: 2 },
    });
    const ids = await emitted(30);
    for (const id of ids) await board.deliveryOnce(id, slow.id, ({ state }) => state === 'succeeded');
    other.answer((response) => setTimeout(() => response.writeHead(200).end(), 40));
    const made = await start({ filter: { types: [type] }, target_ids: [slow.id] });
    await until('it began', () => ofReplay(made.id, other).length > 0);
    const live = await board.emit(type);
    await until('what is live', () => other.of(live).length === 1);
    expect(ofReplay(made.id, other).length).toBeLessThan(15);
    await ended(made.id);
    await board.removeTarget(slow);
  });

  it('has lanes of its own: what is live and stuck holds up nothing of it', async () => {
    const ordered = await board.addTarget(`ordered ${testNumber}`, other.url, [type], {
      policy: { ordering: 'entity', retry: { delays_s: [3_600] } },
    });
    other.answer(500);
    const stuck = await board.emit(type, { id: 9_001 });
    await board.deliveryOnce(stuck, ordered.id, ({ state }) => state === 'retrying');
    other.answer(200);
    const behind = await board.emit(type, { id: 9_001, name: 'Behind' });
    await board.deliveryOnce(behind, ordered.id, ({ state }) => state === 'waiting');
    const made = await start({ filter: { types: [type], q: 'behind' }, target_ids: [ordered.id] });
    expect(await ended(made.id)).toMatchObject({ report: [{ target_id: ordered.id, succeeded: 1 }] });
    expect(idsOf(ofReplay(made.id, other))).toEqual([behind]);
    expect(other.of(behind)).toHaveLength(1);
    expect(other.of(stuck)).toHaveLength(1);
    await board.removeTarget(ordered);
  });

  it('goes on at the exact place after a stop', async () => {
    const ids = await emitted(6);
    const made = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    for (let sent = 0; sent < 3; sent += 1) {
      await until('the next', () => ofReplay(made.id).length > sent);
      board.clock.move(50 * SECOND);
    }
    await board.stop();
    board = await Switchboard.start({ after: board });
    const sentBefore = ofReplay(made.id).length;
    for (let sent = sentBefore; sent < ids.length; sent += 1) {
      board.clock.move(50 * SECOND);
      await until('the next', () => ofReplay(made.id).length > sent);
    }
    await ended(made.id);
    expect(idsOf(ofReplay(made.id))).toEqual(ids);
  });
});

describe('an event that is edited and sent again', () => {
  it('brings the new payload by hand, marked, without the signature of Co-Pilot, and the old one stays', async () => {
    const [id] = await emitted(1);
    const live = place.of(id!)[0]!;
    const resend = (body: unknown) =>
      board.read(resent, `/events/${id!}/resend`, {
        method: 'POST',
        json: { body, target_ids: [target.id] },
      });
    const made = await resend({ event: type, data: { edited: 1 } });
    await until('the edited one', () => place.of(id!).length === 2);
    const edited = place.of(id!)[1]!;
    expect(edited.body.toString()).toBe(JSON.stringify({ event: type, data: { edited: 1 } }));
    expect(edited.headers).toMatchObject({
      'webhook-id': id,
      'switchboard-edited': 'true',
      'switchboard-trigger': 'manual',
      'switchboard-delivery': made.delivery_ids[0],
    });
    expect(live.headers).toHaveProperty(SIGNATURE_HEADER);
    expect(live.headers).not.toHaveProperty('switchboard-edited');
    expect(edited.headers).not.toHaveProperty(SIGNATURE_HEADER);
    expect(await board.delivery(made.delivery_ids[0]!)).toMatchObject({ trigger: 'manual', edited: true });
    expect((await board.ask(`/events/${id!}/body`)).text).toBe(live.body.toString());

    await resend('any text');
    await until('the text', () => place.of(id!).length === 3);
    expect(place.of(id!)[2]!.body.toString()).toBe('any text');
    await board.ask(`/deliveries/${made.delivery_ids[0]!}/retry`, { method: 'POST' });
    await until('the retry', () => place.of(id!).length === 4);
    expect(place.of(id!)[3]!.body).toEqual(edited.body);
    expect(place.of(id!)[3]!.headers).toMatchObject({ 'switchboard-edited': 'true' });
  });
});

it('what is no replay is refused', async () => {
  const nothing = `rpl_${'0'.repeat(26)}`;
  const cases = [
    ['GET', `/replays/${nothing}`, undefined, 404, 'replay_unknown'],
    ['POST', `/replays/${nothing}/cancel`, undefined, 404, 'replay_unknown'],
    ['POST', '/replays', { target_ids: [`tgt_${'0'.repeat(26)}`] }, 404, 'target_unknown'],
    ['POST', '/replays', { rate: { per_second: 0 } }, 400, 'invalid_request'],
    ['POST', '/replays', { filter: { what: 1 } }, 400, 'invalid_request'],
    ['POST', '/replays/preview', { filter: { types: ['deal[x]'] } }, 400, 'invalid_request'],
  ] as const;
  for (const [method, path, json, status, code] of cases) {
    const answer = await board.ask(path, { method, ...(json !== undefined && { json }) });
    expect({ path, asked: json, ...answer }).toMatchObject({ status, json: { code } });
  }
});
