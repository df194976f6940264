import { draft, START } from '../../support/daemon/scratch-journal';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { ReplayHarness } from './replay-harness';

const DAY_MS = 86_400_000;
const STORED = 900;
/** How many deliveries a replay may have queued at a target; these are created at once, further ones later. */
const MAX_QUEUED = 500;

let harness: ReplayHarness;
let target: TargetRecord;

beforeEach(async () => {
  harness = await ReplayHarness.open(STORED);
  target = await harness.addTarget('place');
});
afterEach(() => harness.close());

describe('events that retention removes before they are replayed', () => {
  it('are reported when the replay ends, and delay nothing', async () => {
    const id = await harness.start([target]);
    await harness.tick();
    expect(await harness.get(id)).toMatchObject({ total: STORED, events: MAX_QUEUED, removed: 0 });
    harness.scratch.clock.time = START + 2 * DAY_MS;
    await harness.retention();
    // Queued events are protected, and so is the newest, whatever its age.
    const removed = STORED - MAX_QUEUED - 1;
    expect(await harness.runToEnd(id)).toMatchObject({
      state: 'done',
      total: STORED,
      events: MAX_QUEUED + 1,
      removed,
    });
  });

  it('are counted by the filter of each replay', async () => {
    await harness.scratch.journal.append(draft(STORED + 1, { type: 'task.updated' }), () => []);
    const deals = await harness.start([target], { filter: { types: ['deal.*'] } });
    const contacts = await harness.start([target], { filter: { types: ['contact.*'], until_seq: 100 } });
    harness.scratch.clock.time = START + 2 * DAY_MS;
    await harness.retention();
    expect(await harness.runToEnd(deals)).toMatchObject({
      state: 'done',
      total: 300,
      events: 0,
      removed: 300,
    });
    expect(await harness.runToEnd(contacts)).toMatchObject({
      state: 'done',
      total: 67,
      events: 0,
      removed: 67,
    });
  });

  it('are skipped even if they were read ahead', async () => {
    const id = await harness.start([target]);
    // Retention runs while the deliveries of the events that were read are created.
    harness.scratch.clock.time = START + 2 * DAY_MS;
    await Promise.all([harness.tick(), harness.retention()]);
    const { state, events, removed } = await harness.runToEnd(id);
    expect({ state, all: events + removed }).toEqual({ state: 'done', all: STORED });
    expect(removed).toBeGreaterThan(0);
  });

  it('are lost only for the target that lags behind, and are not counted as sent', async () => {
    const away = await harness.addTarget('away');
    const id = await harness.start([target, away]);
    await harness.tick();
    for (let turns = 0; turns < 4; turns += 1) {
      await harness.succeed(id, target);
      await harness.tick();
    }
    harness.scratch.clock.time = START + 2 * DAY_MS;
    await harness.retention();
    const removed = STORED - MAX_QUEUED - 1;
    expect(await harness.runToEnd(id)).toMatchObject({
      state: 'done',
      total: STORED,
      events: MAX_QUEUED + 1,
      removed,
      report: [
        { target_id: target.id, succeeded: MAX_QUEUED + 1 },
        { target_id: away.id, succeeded: MAX_QUEUED + 1 },
      ],
    });
    expect(harness.scratch.rows('SELECT deliveries FROM replays')).toEqual([
      { deliveries: STORED + MAX_QUEUED + 1 },
    ]);
  });
});
