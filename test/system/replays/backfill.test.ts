import { pageOf } from '../../../src/contract/page';
import { replayDetail, replaySummary, type ReplayDetail } from '../../../src/contract/replay';
import { target, targetCreated, type TargetCreated } from '../../../src/contract/target';
import { queryStored } from '../../support/daemon/stored-data';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const MINUTE = 60_000;

let switchboard: Switchboard;
let receiver: RecordingTarget;
/** Identifies the events of one test by their type. */
let testNumber = 0;
let type = '';

beforeAll(async () => {
  switchboard = await Switchboard.start();
});
beforeEach(async () => {
  testNumber += 1;
  type = `deal.number_${testNumber}`;
  receiver = await RecordingTarget.start();
});
afterEach(() => receiver.close());
afterAll(() => switchboard.end());

const create = (json: object): Promise<TargetCreated> =>
  switchboard.read(targetCreated, '/targets', {
    method: 'POST',
    json: { name: `target ${testNumber}`, url: receiver.url, events: [type], ...json },
  });
const nowIso = () => new Date(switchboard.clock.now()).toISOString();
const idOf = ({ headers }: Hit) => String(headers['webhook-id']);
const replays = () => switchboard.read(pageOf(replaySummary), '/replays?limit=200');
const targets = () => switchboard.read(pageOf(target), '/targets?limit=200');

async function ended(id: string): Promise<ReplayDetail> {
  let found!: ReplayDetail;
  await until(`${id} ends`, async () => {
    found = await switchboard.read(replayDetail, `/replays/${id}`);
    return found.ended_at !== null;
  });
  return found;
}

describe('a target with a backfill', () => {
  it('receives the events it would have accepted since then as a replay, and then live events', async () => {
    await switchboard.emit(type, { status_id: 2 });
    switchboard.clock.move(MINUTE);
    const since = nowIso();
    const expected = [
      await switchboard.emit(type, { status_id: 2 }),
      await switchboard.emit(type, { status_id: 3 }),
    ];
    await switchboard.emit(type, { status_id: 4 });
    await switchboard.emit(`${type}.other`, { status_id: 2 });

    const filter = { 'data.status_id': { $in: [2, 3] } };
    const created = await create({ filter, backfill_since: since });
    const done = await ended(created.backfill_replay_id!);
    expect(receiver.hits.map(idOf).toSorted()).toEqual(expected.toSorted());
    expect(receiver.hits[0]!.headers).toMatchObject({
      'switchboard-trigger': 'replay',
      'switchboard-replay': created.backfill_replay_id,
    });
    expect(done).toMatchObject({
      state: 'done',
      target_ids: [created.id],
      filter: { types: [type], payload: filter, since, missed_by: created.id },
      total: 2,
      events: 2,
      estimated: false,
      report: [{ target_id: created.id, succeeded: 2 }],
    });
    const live = await switchboard.emit(type, { status_id: 2 });
    await until('the live event arrives', () => receiver.of(live).length === 1);
    expect(receiver.of(live)[0]!.headers).toMatchObject({ 'switchboard-trigger': 'live' });
    expect(receiver.hits).toHaveLength(3);
  });

  it('receives every event once, by replay or live, while more arrive', async () => {
    const since = nowIso();
    const ids: string[] = [];
    const flowing = new AbortController();
    const flow = async () => {
      while (!flowing.signal.aborted) ids.push(await switchboard.emit(type));
    };
    const flows = Promise.all(Array.from({ length: 8 }, flow));
    const places: { at: RecordingTarget; replayId: string }[] = [];
    try {
      for (let i = 0; i < 6; i += 1) {
        const at = await RecordingTarget.start();
        const before = ids.length;
        await until('some more are stored', () => ids.length > before + 20);
        const created = await create({ name: `of ${testNumber} ${i}`, url: at.url, backfill_since: since });
        places.push({ at, replayId: created.backfill_replay_id! });
      }
    } finally {
      flowing.abort();
    }
    await flows;
    for (const { at, replayId } of places) {
      await ended(replayId);
      await until('all arrive', () => new Set(at.hits.map(idOf)).size >= ids.length);
      expect(at.hits.map(idOf).toSorted()).toEqual(ids.toSorted());
      const triggers = new Set(at.hits.map(({ headers }) => headers['switchboard-trigger']));
      expect(triggers).toEqual(new Set(['live', 'replay']));
      await at.close();
    }
  });

  it('receives no stored events without a time', async () => {
    await switchboard.emit(type);
    const created = await create({});
    expect(created).not.toHaveProperty('backfill_replay_id');
    const live = await switchboard.emit(type);
    await until('the live event arrives', () => receiver.of(live).length === 1);
    expect(receiver.hits).toHaveLength(1);
  });

  it('receives it even if the daemon stopped before the range was fixed', async () => {
    const id = await switchboard.emit(type);
    const created = await create({});
    await switchboard.stop();
    const replayId = `rpl_${'1'.repeat(26)}`;
    const filter = JSON.stringify({ types: [type], missed_by: created.id });
    await queryStored(
      switchboard.dataDir,
      `INSERT INTO replays(id, state, filter, target_ids, rate, until_seq, position, total, created_at)
       VALUES (?, 'running', ?, ?, '"as_fast_as_allowed"', -1, 0, 0, 0)`,
      replayId,
      filter,
      JSON.stringify([created.id]),
    );
    await switchboard.restart();
    expect(await ended(replayId)).toMatchObject({ state: 'done', total: 1, events: 1 });
    expect(receiver.hits.map(idOf)).toEqual([id]);
  });
});

it('an invalid time is rejected, and nothing is created', async () => {
  await switchboard.emit(type);
  const before = { targets: (await targets()).data.length, replays: (await replays()).data.length };
  const cases = [
    [{ backfill_since: new Date(switchboard.clock.now() + MINUTE).toISOString() }, 422, 'backfill_invalid'],
    [{ backfill_since: nowIso(), enabled: false }, 422, 'backfill_invalid'],
    [{ backfill_since: 'yesterday' }, 400, 'invalid_request'],
    [{ backfill_since: '2026-13-45T00:00:00Z' }, 400, 'invalid_request'],
    [{ backfill_since: nowIso(), filter: { 'data.id': { $where: '1' } } }, 422, 'filter_invalid'],
    [{ backfill_since: nowIso(), url: 'http://169.254.169.254/' }, 422, 'address_denied'],
  ] as const;
  for (const [json, status, code] of cases) {
    const response = await switchboard.ask('/targets', {
      method: 'POST',
      json: { name: 'rejected', url: receiver.url, events: [type], ...json },
    });
    expect({ asked: json, ...response }).toMatchObject({ status, json: { code } });
  }
  expect({ targets: (await targets()).data.length, replays: (await replays()).data.length }).toEqual(before);
});
