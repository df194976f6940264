import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { until } from '../../support/until';
import { ReplayHarness } from './replay-harness';

const SECOND = 1_000;
const STORED = 2_000;
/** How many deliveries a replay may have queued at a target. */
const MAX_QUEUED = 500;

let harness: ReplayHarness;
let near: TargetRecord;
let away: TargetRecord;

beforeEach(async () => {
  harness = await ReplayHarness.open(STORED);
  near = await harness.addTarget('near');
  away = await harness.addTarget('away');
});
afterEach(() => harness.close());

/** The events that a replay has deliveries of at a target, in the order of their creation. */
const deliveredTo = (id: string, { number }: TargetRecord) =>
  harness.scratch
    .rows<{
      seq: number;
    }>(
      'SELECT event_seq AS seq FROM deliveries WHERE replay_id = ? AND target_id = ? ORDER BY created_at, event_seq',
      id,
      number,
    )
    .map(({ seq }) => seq);
const all = Array.from({ length: STORED }, (_, i) => i + 1);

const MENDED = { at: Date.UTC(2026, 10, 20, 12), reason: 'The receiver is mended.', until: null };

/** Lets everything queued at one target succeed until all events have been delivered there. */
async function drain(id: string, target: TargetRecord): Promise<void> {
  await until('all are created', async () => {
    await harness.succeed(id, target);
    await harness.tick();
    return deliveredTo(id, target).length === STORED;
  });
  await harness.succeed(id, target);
  await harness.tick();
}

describe('a paused target of a replay', () => {
  it('delays no other target, gets a bounded number, and the others once it resumes', async () => {
    const id = await harness.start([near, away]);
    await harness.targets.setPaused(away.id, MENDED);
    await harness.tick();
    await drain(id, near);
    expect(deliveredTo(id, near)).toEqual(all);
    expect(deliveredTo(id, away)).toEqual(all.slice(0, MAX_QUEUED));
    expect(await harness.get(id)).toMatchObject({
      state: 'running',
      events: MAX_QUEUED,
      position: MAX_QUEUED,
      deliveries: STORED + MAX_QUEUED,
      eta_s: null,
      waiting_for: [
        {
          target_id: away.id,
          name: 'away',
          why: 'paused',
          since: new Date(MENDED.at).toISOString(),
          reason: 'The receiver is mended.',
        },
      ],
    });
    await harness.targets.setPaused(away.id, null);
    expect((await harness.get(id)).waiting_for).toEqual([]);
    await drain(id, away);
    expect(deliveredTo(id, away)).toEqual(all);
    expect(await harness.get(id)).toMatchObject({
      state: 'done',
      events: STORED,
      position: STORED,
      deliveries: 2 * STORED,
      waiting_for: [],
    });
  });

  it('gets its own track if it is slower, and rejoins the others once it has caught up', async () => {
    const id = await harness.start([near, away]);
    const tracks = () =>
      harness.scratch.rows<{ tracks: string | null }>('SELECT tracks FROM replays')[0]!.tracks;
    await until('it is too slow for the shared track', async () => {
      await harness.succeed(id, near);
      await harness.succeed(id, away, 20);
      await harness.tick();
      return tracks() !== null;
    });
    await drain(id, near);
    expect(deliveredTo(id, near)).toEqual(all);
    const position = deliveredTo(id, away).length;
    expect(position).toBeLessThan(STORED);
    expect(harness.open(id, away).length).toBeLessThanOrEqual(MAX_QUEUED);
    expect(JSON.parse(tracks()!)).toMatchObject({ lagging: [{ target: away.number, position }] });
    while (deliveredTo(id, away).length < deliveredTo(id, near).length) {
      await harness.succeed(id, away);
      await harness.tick();
    }
    expect(tracks()).toBeNull();
    await harness.runToEnd(id);
    expect([deliveredTo(id, near), deliveredTo(id, away)]).toEqual([all, all]);
  });

  it('receives no more than the rate of the replay when it resumes', async () => {
    const id = await harness.start([near, away], { rate: { per_second: 10 } });
    const run = async (seconds: number, ...going: TargetRecord[]) => {
      for (let i = 0; i < seconds * 10; i += 1) {
        harness.scratch.clock.time += SECOND / 10;
        await harness.tick();
        for (const target of going) await harness.succeed(id, target);
      }
    };
    await run(20, near);
    expect(deliveredTo(id, near).length).toBeGreaterThan(190);
    expect(deliveredTo(id, near).length).toBeLessThanOrEqual(20 * 10 + 1);
    expect(deliveredTo(id, away).length).toBeLessThanOrEqual(10);
    await run(10, near, away);
    expect(deliveredTo(id, away).length).toBeGreaterThan(90);
    expect(deliveredTo(id, away).length).toBeLessThanOrEqual(10 + 10 * 10 + 1);
  });

  it('is ignored by the estimated time, which is for the others at their recent speed', async () => {
    const id = await harness.start([near, away]);
    await harness.targets.setPaused(away.id, MENDED);
    await harness.tick();
    for (let seconds = 0; seconds < 30; seconds += 1) {
      await harness.succeed(id, near, 40);
      harness.scratch.clock.time += SECOND;
      await harness.tick();
      await harness.tick();
    }
    const left = STORED - 30 * 40;
    const going = await harness.get(id);
    expect(going.events_per_second).toBeCloseTo(40, 0);
    expect(going.eta_s! / (left / 40)).toBeCloseTo(1, 1);
    expect(going.waiting_for).toMatchObject([{ target_id: away.id }]);
    // Also at the end, when all deliveries are created but not all have finished.
    for (let seconds = 0; seconds < 15; seconds += 1) {
      await harness.succeed(id, near, 40);
      harness.scratch.clock.time += SECOND;
      await harness.tick();
      await harness.tick();
    }
    expect(deliveredTo(id, near)).toHaveLength(STORED);
    expect((await harness.get(id)).eta_s! / ((left - 15 * 40) / 40)).toBeCloseTo(1, 1);
  });

  it('is cancelled with the replay, and its remaining deliveries are not created', async () => {
    const id = await harness.start([near, away]);
    await harness.tick();
    await drain(id, near);
    await harness.cancel(id);
    for (let turns = 0; turns < 10; turns += 1) await harness.tick();
    expect(await harness.get(id)).toMatchObject({
      state: 'cancelled',
      report: [
        { target_id: near.id, succeeded: STORED, cancelled: 0 },
        { target_id: away.id, deliveries: MAX_QUEUED, cancelled: MAX_QUEUED, open: 0 },
      ],
    });
  });

  it('is deleted: the replay ends without it', async () => {
    const id = await harness.start([near, away]);
    await harness.tick();
    await drain(id, near);
    await harness.targets.remove(away.id);
    for (let turns = 0; turns < 10; turns += 1) await harness.tick();
    expect(await harness.get(id)).toMatchObject({ state: 'done', events: STORED });
  });
});

describe('a replay that has created all its deliveries', () => {
  it('ends once its last queued delivery is cancelled', async () => {
    const id = await harness.start([near], { filter: { until_seq: 3 } });
    await harness.tick();
    await harness.succeed(id, near, 1);
    await harness.tick();
    expect(await harness.get(id)).toMatchObject({ state: 'running', eta_s: null });
    const at = harness.scratch.clock.time;
    const cancelled = harness.open(id).map((key) => ({ key, note: 'Not wanted.', at }));
    await harness.scratch.journal.change({ end: cancelled });
    await harness.tick();
    expect(await harness.get(id)).toMatchObject({ state: 'done', report: [{ succeeded: 1, cancelled: 2 }] });
  });

  it('ends once the queued deliveries of a deleted target are cancelled, however long that takes', async () => {
    const id = await harness.start([near, away], { filter: { until_seq: 3 } });
    await harness.tick();
    await harness.succeed(id, near);
    let release: (() => void) | null = null;
    harness.targets.onChange(() => (release ??= harness.scratch.holdWriter()));
    const removed = harness.targets.remove(away.id);
    await until('the removal is published', () => release !== null);
    for (let turns = 0; turns < 3; turns += 1) await harness.tick();
    expect(await harness.get(id)).toMatchObject({ state: 'running' });
    release!();
    await removed;
    await until('it is done', async () => {
      await harness.tick();
      return (await harness.get(id)).state === 'done';
    });
  });
});

it('an event with more targets than deliveries per transaction is sent to all of them', async () => {
  const many = [near];
  while (many.length < 180) many.push(await harness.addTarget(`target ${many.length}`));
  const id = await harness.start(many, { filter: { until_seq: 3 } });
  expect(await harness.runToEnd(id)).toMatchObject({ state: 'done', events: 3, deliveries: 540 });
});

it('the speed of a replay is that of its finished deliveries, from the first second on', async () => {
  const id = await harness.start([near]);
  await harness.tick();
  for (const finished of [300, 200]) {
    await harness.succeed(id, near, finished);
    harness.scratch.clock.time += SECOND;
    await harness.tick();
    expect((await harness.get(id)).events_per_second).toBeCloseTo(finished === 300 ? 300 : 250, 0);
  }
});
