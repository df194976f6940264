import { join } from 'node:path';
import { pageOf } from '../../../src/contract/page';
import { replayDetail, replayPlan, type ReplayDetail } from '../../../src/contract/replay';
import { target, targetCreated, type TargetCreated } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const MINUTE = 60_000;

let board: Switchboard;
let place: RecordingTarget;
/** The events of one test, told apart from those of the others by their type. */
let testNumber = 0;
let type = '';

beforeAll(async () => {
  board = await Switchboard.start();
});
beforeEach(async () => {
  testNumber += 1;
  type = `deal.number_${testNumber}`;
  place = await RecordingTarget.start();
});
afterEach(() => place.close());
afterAll(() => board.end());

const create = (json: object): Promise<TargetCreated> =>
  board.read(targetCreated, '/targets', {
    method: 'POST',
    json: { name: `target ${testNumber}`, url: place.url, events: [type], ...json },
  });
const nowIso = () => new Date(board.clock.now()).toISOString();
const idOf = ({ headers }: Hit) => String(headers['webhook-id']);
const replays = () => board.read(pageOf(replayPlan), '/replays?limit=200');
const targets = () => board.read(pageOf(target), '/targets?limit=200');

async function ended(id: string): Promise<ReplayDetail> {
  let found!: ReplayDetail;
  await until(`the end of ${id}`, async () => {
    found = await board.read(replayDetail, `/replays/${id}`);
    return found.ended_at !== null;
  });
  return found;
}

describe('a target that starts from a time', () => {
  it('is sent what it would have accepted since then, as a replay, and then what arrives', async () => {
    await board.emit(type, { status_id: 2 });
    board.clock.move(MINUTE);
    const since = nowIso();
    const wanted = [await board.emit(type, { status_id: 2 }), await board.emit(type, { status_id: 3 })];
    await board.emit(type, { status_id: 4 });
    await board.emit(`${type}.other`, { status_id: 2 });

    const filter = { 'data.status_id': { $in: [2, 3] } };
    const made = await create({ filter, backfill_since: since });
    const done = await ended(made.backfill_replay_id!);
    expect(place.hits.map(idOf).toSorted()).toEqual(wanted.toSorted());
    expect(place.hits[0]!.headers).toMatchObject({
      'switchboard-trigger': 'replay',
      'switchboard-replay': made.backfill_replay_id,
    });
    expect(done).toMatchObject({
      state: 'done',
      target_ids: [made.id],
      filter: { types: [type], payload: filter, since, missed_by: made.id },
      total: 2,
      events: 2,
      estimated: false,
      report: [{ target_id: made.id, succeeded: 2 }],
    });
    const live = await board.emit(type, { status_id: 2 });
    await until('what is live', () => place.of(live).length === 1);
    expect(place.of(live)[0]!.headers).toMatchObject({ 'switchboard-trigger': 'live' });
    expect(place.hits).toHaveLength(3);
  });

  it('is sent everything once, by one way or the other, while more arrives', async () => {
    const since = nowIso();
    const ids: string[] = [];
    const flowing = new AbortController();
    const flow = async () => {
      while (!flowing.signal.aborted) ids.push(await board.emit(type));
    };
    const flows = Promise.all(Array.from({ length: 8 }, flow));
    const places: { at: RecordingTarget; replayId: string }[] = [];
    try {
      for (let i = 0; i < 6; i += 1) {
        const at = await RecordingTarget.start();
        const before = ids.length;
        await until('some more', () => ids.length > before + 20);
        const made = await create({ name: `of ${testNumber} ${i}`, url: at.url, backfill_since: since });
        places.push({ at, replayId: made.backfill_replay_id! });
      }
    } finally {
      flowing.abort();
    }
    await flows;
    for (const { at, replayId } of places) {
      await ended(replayId);
      await until('all of it', () => new Set(at.hits.map(idOf)).size >= ids.length);
      expect(at.hits.map(idOf).toSorted()).toEqual(ids.toSorted());
      const ways = new Set(at.hits.map(({ headers }) => headers['switchboard-trigger']));
      expect(ways).toEqual(new Set(['live', 'replay']));
      await at.close();
    }
  });

  it('without a time is sent nothing that is stored', async () => {
    await board.emit(type);
    const made = await create({});
    expect(made).not.toHaveProperty('backfill_replay_id');
    const live = await board.emit(type);
    await until('what is live', () => place.of(live).length === 1);
    expect(place.hits).toHaveLength(1);
  });

  it('is sent it though the daemon stopped before it was known what there is', async () => {
    const id = await board.emit(type);
    const made = await create({});
    await board.stop();
    const replayId = `rpl_${'1'.repeat(26)}`;
    const database = new sqliteDriver(join(board.dataDir, 'switchboard.db'));
    const filter = JSON.stringify({ types: [type], missed_by: made.id });
    database
      .prepare(
        `INSERT INTO replays(id, state, filter, target_ids, rate, until_seq, position, total, created_at)
         VALUES (?, 'running', ?, ?, '"as_fast_as_allowed"', -1, 0, 0, 0)`,
      )
      .run(replayId, filter, JSON.stringify([made.id]));
    database.close();
    board = await Switchboard.start({ after: board });
    expect(await ended(replayId)).toMatchObject({ state: 'done', total: 1, events: 1 });
    expect(place.hits.map(idOf)).toEqual([id]);
  });
});

it('a time that cannot be is refused, and nothing is made', async () => {
  await board.emit(type);
  const before = { targets: (await targets()).data.length, replays: (await replays()).data.length };
  const cases = [
    [{ backfill_since: new Date(board.clock.now() + MINUTE).toISOString() }, 422, 'backfill_refused'],
    [{ backfill_since: nowIso(), enabled: false }, 422, 'backfill_refused'],
    [{ backfill_since: 'yesterday' }, 400, 'invalid_request'],
    [{ backfill_since: '2026-13-45T00:00:00Z' }, 400, 'invalid_request'],
    [{ backfill_since: nowIso(), filter: { 'data.id': { $where: '1' } } }, 422, 'filter_refused'],
    [{ backfill_since: nowIso(), url: 'http://169.254.169.254/' }, 422, 'address_denied'],
  ] as const;
  for (const [json, status, code] of cases) {
    const answer = await board.ask('/targets', {
      method: 'POST',
      json: { name: 'refused', url: place.url, events: [type], ...json },
    });
    expect({ asked: json, ...answer }).toMatchObject({ status, json: { code } });
  }
  expect({ targets: (await targets()).data.length, replays: (await replays()).data.length }).toEqual(before);
});
