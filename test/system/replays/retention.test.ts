import { draft, START } from '../../component/database/scratch-journal';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { ReplayStand } from './replay-fixture';

const DAY_MS = 86_400_000;
const STORED = 900;
/** What a replay may have open at a target; so many are made at once, and the rest waits for them. */
const OPEN = 500;

let stand: ReplayStand;
let target: TargetRecord;

beforeEach(async () => {
  stand = await ReplayStand.open(STORED);
  target = await stand.addTarget('place');
});
afterEach(() => stand.close());

describe('events that retention removes before their turn', () => {
  it('are told when the replay ends, and hold nothing up', async () => {
    const id = await stand.start([target]);
    await stand.tick();
    expect(await stand.get(id)).toMatchObject({ total: STORED, events: OPEN, gone: 0 });
    stand.scratch.now = START + 2 * DAY_MS;
    await stand.retention();
    // What is open is not too old; the newest event stays, whatever its age.
    const gone = STORED - OPEN - 1;
    expect(await stand.runToEnd(id)).toMatchObject({ state: 'done', total: STORED, events: OPEN + 1, gone });
  });

  it('are those that its filter names, of another replay other ones', async () => {
    await stand.scratch.journal.append(draft(STORED + 1, { type: 'task.updated' }), () => []);
    const deals = await stand.start([target], { filter: { types: ['deal.*'] } });
    const contacts = await stand.start([target], { filter: { types: ['contact.*'], until_seq: 100 } });
    stand.scratch.now = START + 2 * DAY_MS;
    await stand.retention();
    expect(await stand.runToEnd(deals)).toMatchObject({ state: 'done', total: 300, events: 0, gone: 300 });
    expect(await stand.runToEnd(contacts)).toMatchObject({ state: 'done', total: 67, events: 0, gone: 67 });
  });

  it('are passed by though they had been read ahead', async () => {
    const id = await stand.start([target]);
    // Retention is on its way while the deliveries of what was read are made.
    stand.scratch.now = START + 2 * DAY_MS;
    await Promise.all([stand.tick(), stand.retention()]);
    const { state, events, gone } = await stand.runToEnd(id);
    expect({ state, all: events + gone }).toEqual({ state: 'done', all: STORED });
    expect(gone).toBeGreaterThan(0);
  });

  it('are gone for the target that was left behind alone, and are not told as sent', async () => {
    const away = await stand.addTarget('away');
    const id = await stand.start([target, away]);
    await stand.tick();
    for (let turns = 0; turns < 4; turns += 1) {
      await stand.succeed(id, target);
      await stand.tick();
    }
    stand.scratch.now = START + 2 * DAY_MS;
    await stand.retention();
    const gone = STORED - OPEN - 1;
    expect(await stand.runToEnd(id)).toMatchObject({
      state: 'done',
      total: STORED,
      events: OPEN + 1,
      gone,
      report: [
        { target_id: target.id, succeeded: OPEN + 1 },
        { target_id: away.id, succeeded: OPEN + 1 },
      ],
    });
    expect(stand.scratch.rows('SELECT deliveries FROM replays')).toEqual([{ deliveries: STORED + OPEN + 1 }]);
  });
});
