import * as fc from 'fast-check';
import type { DeliveryKey } from '../../../src/relay/ground/ids';
import { draft, result, ScratchJournal, START, to } from './scratch-journal';

const TARGET = 1;

const key = (n = 0): DeliveryKey => ({ seq: 1, target: TARGET, n });

/** By the rows, as it is defined: dead, and followed by no later delivery of the same event to the same target. */
const BY_ROWS = `
  SELECT target_id AS target, count(*) AS standing FROM deliveries d WHERE state = 'dead' AND NOT EXISTS (
    SELECT 1 FROM deliveries newer
    WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)
  GROUP BY target_id ORDER BY target_id`;

describe('the count of dead letters', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
    for (let n = 1; n <= 3; n += 1) await scratch.journal.append(draft(n), to(TARGET, 2));
  });

  afterEach(() => scratch.remove());

  const counted = () =>
    scratch.rows<{ target: number; standing: number }>(
      'SELECT target, standing FROM dead_letters WHERE standing <> 0 ORDER BY target',
    );
  const told = () => scratch.groups.at(-1)!.deadLetters;
  const die = (n = 0) => scratch.journal.settle({ ...result(1, TARGET, { state: 'dead' }), key: key(n) });
  const follow = () =>
    scratch.journal.change([], [{ seq: 1, target: TARGET, trigger: 'manual', replayId: null, at: START }]);

  it('takes one off as soon as another delivery follows, and counts that one where it dies in its turn', async () => {
    await die();
    expect(told()).toEqual([[TARGET, 1]]);
    await follow();
    expect(told()).toEqual([[TARGET, 0]]);
    await die(1);
    expect(told()).toEqual([[TARGET, 1]]);
    expect(counted()).toEqual([{ target: TARGET, standing: 1 }]);
  });

  it('leaves out what dies behind another delivery', async () => {
    await follow();
    await die();
    expect(counted()).toEqual([]);
  });

  it('takes off what is discarded and what retention removes', async () => {
    await die();
    await scratch.journal.settle(result(2, TARGET, { state: 'dead' }));
    await scratch.journal.change([], [], [{ key: key(), note: 'Discarded', at: START }]);
    expect(told()).toEqual([[TARGET, 1]]);
    const cancel = { note: 'No room.', at: START };
    await scratch.journal.prune({ seqs: [1, 2], forgetBefore: null, cancel });
    expect(counted()).toEqual([]);
  });

  it('goes back with a change that comes to nothing', async () => {
    await die();
    const draftOf = { seq: 1, target: TARGET, trigger: 'manual', replayId: null, at: START } as const;
    const impossible = { ...draftOf, seq: null as unknown as number };
    await expect(scratch.journal.change([], [draftOf, impossible])).rejects.toMatchObject({
      status: 409,
    });
    expect(counted()).toEqual([{ target: TARGET, standing: 1 }]);
  });

  it('is that of the rows, whatever was done in whatever order', async () => {
    const step = fc.record({
      act: fc.constantFrom('die', 'succeed', 'follow', 'discard', 'prune'),
      event: fc.integer({ min: 1, max: 3 }),
      target: fc.integer({ min: 1, max: 2 }),
      n: fc.integer({ min: 0, max: 2 }),
    });
    const { journal } = scratch;
    const attempt = (state: 'dead' | 'succeeded') => {
      attempts += 1;
      return { ...result(1, 1, { state }), attempt: { ...result(1, 1).attempt, number: attempts } };
    };
    let stored = 3;
    let attempts = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const before = stored;
        stored += 3;
        for (let n = before + 1; n <= stored; n += 1) await journal.append(draft(n), to(TARGET, 2));
        for (const { act, event, target, n } of steps) {
          const at = { seq: before + event, target, n };
          if (act === 'die') await journal.settle({ ...attempt('dead'), key: at });
          else if (act === 'succeed') await journal.settle({ ...attempt('succeeded'), key: at });
          else if (act === 'follow')
            await journal.change([], [{ ...at, trigger: 'manual', replayId: null, at: START }]);
          else if (act === 'discard')
            await journal.change([], [], [{ key: at, note: 'Discarded', at: START }]);
          else await journal.prune({ seqs: [at.seq], forgetBefore: null });
        }
        expect(counted()).toEqual(scratch.rows(BY_ROWS));
      }),
      { numRuns: 25 },
    );
  });
});
