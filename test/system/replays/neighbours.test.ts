import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { until } from '../../support/until';
import { ReplayStand } from './replay-fixture';

const SECOND = 1_000;
const STORED = 2_000;
/** What a replay may have open at a target. */
const OPEN = 500;

let stand: ReplayStand;
let near: TargetRecord;
let away: TargetRecord;

beforeEach(async () => {
  stand = await ReplayStand.open(STORED);
  near = await stand.addTarget('near');
  away = await stand.addTarget('away');
});
afterEach(() => stand.close());

/** The events that a replay has deliveries of at a target, in the order in which these were made. */
const sent = (id: string, { number }: TargetRecord) =>
  stand.scratch
    .rows<{
      seq: number;
    }>(
      'SELECT event_seq AS seq FROM deliveries WHERE replay_id = ? AND target_id = ? ORDER BY created_at, event_seq',
      id,
      number,
    )
    .map(({ seq }) => seq);
const all = Array.from({ length: STORED }, (_, i) => i + 1);

/** Whatever is open at one target succeeds, until nothing more is made there. */
async function drain(id: string, target: TargetRecord): Promise<void> {
  for (let made = -1; made < sent(id, target).length;) {
    made = sent(id, target).length;
    await stand.succeed(id, target);
    await stand.tick();
    await stand.tick();
  }
}

describe('a target that rests in a replay', () => {
  it('holds up nobody else, gets a bounded number, and the rest once it is back', async () => {
    const id = await stand.start([near, away]);
    await stand.targets.pause(away.id, 'The receiver is mended.');
    await stand.tick();
    await drain(id, near);
    expect(sent(id, near)).toEqual(all);
    expect(sent(id, away)).toEqual(all.slice(0, OPEN));
    expect(await stand.get(id)).toMatchObject({
      state: 'running',
      events: OPEN,
      position: OPEN,
      deliveries: STORED + OPEN,
      eta_s: null,
      waiting_for: [
        {
          target_id: away.id,
          name: 'away',
          why: 'paused',
          since: new Date(stand.scratch.now).toISOString(),
          reason: 'The receiver is mended.',
        },
      ],
    });
    await stand.targets.resume(away.id);
    expect((await stand.get(id)).waiting_for).toEqual([]);
    await drain(id, away);
    expect(sent(id, away)).toEqual(all);
    expect(await stand.get(id)).toMatchObject({
      state: 'done',
      events: STORED,
      position: STORED,
      deliveries: 2 * STORED,
      waiting_for: [],
    });
  });

  it('goes on by itself where it is slower, and with the others once it has caught up', async () => {
    const id = await stand.start([near, away]);
    await stand.tick();
    for (let turns = 0; turns < 3; turns += 1) {
      await stand.succeed(id, near);
      await stand.succeed(id, away, 20);
      await stand.tick();
    }
    expect(sent(id, near)).toHaveLength(4 * OPEN);
    expect(sent(id, away).length).toBeLessThan(2 * OPEN);
    const tracks = () =>
      stand.scratch.rows<{ tracks: string | null }>('SELECT tracks FROM replays')[0]!.tracks;
    expect(JSON.parse(tracks()!)).toMatchObject({ behind: [{ target: away.number, position: OPEN }] });
    while (sent(id, away).length < sent(id, near).length) {
      await stand.succeed(id, away);
      await stand.tick();
    }
    expect(tracks()).toBeNull();
    await stand.runToEnd(id);
    expect([sent(id, near), sent(id, away)]).toEqual([all, all]);
  });

  it('is sent no more than the rate of the replay when it comes back', async () => {
    const id = await stand.start([near, away], { rate: { per_second: 10 } });
    const run = async (seconds: number, ...going: TargetRecord[]) => {
      for (let i = 0; i < seconds * 10; i += 1) {
        stand.scratch.now += SECOND / 10;
        await stand.tick();
        for (const target of going) await stand.succeed(id, target);
      }
    };
    await run(20, near);
    expect(sent(id, near).length).toBeGreaterThan(190);
    expect(sent(id, near).length).toBeLessThanOrEqual(20 * 10 + 1);
    expect(sent(id, away).length).toBeLessThanOrEqual(10);
    await run(10, near, away);
    expect(sent(id, away).length).toBeGreaterThan(90);
    expect(sent(id, away).length).toBeLessThanOrEqual(10 + 10 * 10 + 1);
  });

  it('is told an end that is for the others: what they have left, at the pace at which it goes lately', async () => {
    const id = await stand.start([near, away]);
    await stand.targets.pause(away.id, 'The receiver is mended.');
    await stand.tick();
    for (let seconds = 0; seconds < 30; seconds += 1) {
      await stand.succeed(id, near, 40);
      stand.scratch.now += SECOND;
      await stand.tick();
      await stand.tick();
    }
    const left = STORED - 30 * 40;
    const going = await stand.get(id);
    expect(going.events_per_second).toBeCloseTo(40, 0);
    expect(going.eta_s! / (left / 40)).toBeCloseTo(1, 1);
    expect(going.waiting_for).toMatchObject([{ target_id: away.id }]);
    // In the end, too, where everything is made and not all of it is through.
    for (let seconds = 0; seconds < 15; seconds += 1) {
      await stand.succeed(id, near, 40);
      stand.scratch.now += SECOND;
      await stand.tick();
      await stand.tick();
    }
    expect(sent(id, near)).toHaveLength(STORED);
    expect((await stand.get(id)).eta_s! / ((left - 15 * 40) / 40)).toBeCloseTo(1, 1);
  });

  it('is cancelled with the replay, and what it had not come to is not made any more', async () => {
    const id = await stand.start([near, away]);
    await stand.tick();
    await drain(id, near);
    await stand.cancel(id);
    for (let turns = 0; turns < 10; turns += 1) await stand.tick();
    expect(await stand.get(id)).toMatchObject({
      state: 'cancelled',
      report: [
        { target_id: near.id, succeeded: STORED, cancelled: 0 },
        { target_id: away.id, deliveries: OPEN, cancelled: OPEN, open: 0 },
      ],
    });
  });

  it('is no more: the replay ends without it', async () => {
    const id = await stand.start([near, away]);
    await stand.tick();
    await drain(id, near);
    await stand.targets.remove(away.id);
    for (let turns = 0; turns < 10; turns += 1) await stand.tick();
    expect(await stand.get(id)).toMatchObject({ state: 'done', events: STORED });
  });
});

describe('a replay that has made all its deliveries', () => {
  it('ends once the last that is open is cancelled', async () => {
    const id = await stand.start([near], { filter: { until_seq: 3 } });
    await stand.tick();
    await stand.succeed(id, near, 1);
    await stand.tick();
    expect(await stand.get(id)).toMatchObject({ state: 'running', eta_s: null });
    const at = stand.scratch.now;
    const cancelled = stand.open(id).map((key) => ({ key, note: 'Not wanted.', at }));
    await stand.scratch.journal.change([], [], cancelled);
    await stand.tick();
    expect(await stand.get(id)).toMatchObject({ state: 'done', report: [{ succeeded: 1, cancelled: 2 }] });
  });

  it('ends once what is open at a removed target is cancelled, however long that takes', async () => {
    const id = await stand.start([near, away], { filter: { until_seq: 3 } });
    await stand.tick();
    await stand.succeed(id, near);
    let goOn: (() => void) | null = null;
    stand.targets.onChange(() => (goOn ??= stand.scratch.holdWriter()));
    const removed = stand.targets.remove(away.id);
    await until('the removal is told', () => goOn !== null);
    for (let looks = 0; looks < 3; looks += 1) await stand.tick();
    expect(await stand.get(id)).toMatchObject({ state: 'running' });
    goOn!();
    await removed;
    await until('its end', async () => {
      await stand.tick();
      return (await stand.get(id)).state === 'done';
    });
  });
});

it('an event that goes to more targets than one transaction has deliveries for is sent to all of them', async () => {
  const many = [near];
  while (many.length < 180) many.push(await stand.addTarget(`target ${many.length}`));
  const id = await stand.start(many, { filter: { until_seq: 3 } });
  expect(await stand.runToEnd(id)).toMatchObject({ state: 'done', events: 3, deliveries: 540 });
});
