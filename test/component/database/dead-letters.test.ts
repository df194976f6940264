import * as fc from 'fast-check';
import type { DeliveryKey } from '../../../src/relay/ground/ids';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const TARGET = 1;

const key = (n = 0): DeliveryKey => ({ seq: 1, target: TARGET, n });

/** By definition: dead, and in the way of its lane or not followed by a later delivery of the same event to the same target. */
const BY_ROWS = `
  SELECT target_id AS target, count(*) AS count FROM deliveries d WHERE state = 'dead' AND (finished_at IS NULL OR NOT EXISTS (
    SELECT 1 FROM deliveries newer
    WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n))
  GROUP BY target_id ORDER BY target_id`;

onEachEngine('the count of dead letters', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
    for (let n = 1; n <= 3; n += 1) await scratch.journal.append(draft(n), to(TARGET, 2));
  });

  afterEach(() => scratch.remove());

  const counted = async () =>
    await scratch.rows<{ target: number; count: number }>(
      'SELECT target, count FROM dead_letter_counts WHERE count <> 0 ORDER BY target',
    );
  const published = () => scratch.groups.at(-1)!.deadLetters;
  const die = (n = 0) => scratch.journal.saveResult({ ...result(1, TARGET, { state: 'dead' }), key: key(n) });
  const follow = () =>
    scratch.journal.change({
      schedule: [{ seq: 1, target: TARGET, trigger: 'manual', replayId: null, at: START }],
    });

  it('excludes one once another delivery follows it, and includes that one if it becomes a dead letter', async () => {
    await die();
    expect(published()).toEqual([[TARGET, 1]]);
    await follow();
    expect(published()).toEqual([[TARGET, 0]]);
    await die(1);
    expect(published()).toEqual([[TARGET, 1]]);
    expect(await counted()).toEqual([{ target: TARGET, count: 1 }]);
  });

  it('excludes one that another delivery already follows', async () => {
    await follow();
    await die();
    expect(await counted()).toEqual([]);
  });

  it('excludes those that are discarded or removed by retention', async () => {
    await die();
    await scratch.journal.saveResult(result(2, TARGET, { state: 'dead' }));
    await scratch.journal.change({ end: [{ key: key(), note: 'Discarded', at: START }] });
    expect(published()).toEqual([[TARGET, 1]]);
    const cancel = { note: 'No room.', at: START };
    await scratch.journal.prune({ seqs: [1, 2], removeIdentitiesBefore: null, cancel });
    expect(await counted()).toEqual([]);
  });

  it('is rolled back with a change that fails', async () => {
    await die();
    const draftOf = { seq: 1, target: TARGET, trigger: 'manual', replayId: null, at: START } as const;
    const impossible = { ...draftOf, seq: null as unknown as number };
    await expect(scratch.journal.change({ schedule: [draftOf, impossible] })).rejects.toMatchObject({
      status: 409,
    });
    expect(await counted()).toEqual([{ target: TARGET, count: 1 }]);
  });

  it('equals that of the rows after any sequence of operations', async () => {
    const step = fc.record({
      operation: fc.constantFrom('die', 'block', 'succeed', 'follow', 'retry', 'discard', 'expire', 'prune'),
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
        for (let n = before + 1; n <= stored; n += 1)
          await journal.append(draft(n), () => [1, 2].map((target) => ({ target, lane: `deal:${n}` })));
        for (const { operation, event, target, n } of steps) {
          const at = { seq: before + event, target, n };
          if (operation === 'die') await journal.saveResult({ ...attempt('dead'), key: at });
          else if (operation === 'block')
            await journal.saveResult({ ...attempt('dead'), key: at, lane: 'deal:1', blocksLane: true });
          else if (operation === 'succeed') await journal.saveResult({ ...attempt('succeeded'), key: at });
          else if (operation === 'follow')
            await journal.change({ schedule: [{ ...at, trigger: 'manual', replayId: null, at: START }] });
          else if (operation === 'retry')
            await journal.change({
              schedule: [{ ...at, trigger: 'manual', replayId: null, at: START, retryOf: n }],
            });
          else if (operation === 'expire')
            await journal.change({
              end: [
                {
                  key: at,
                  note: 'Too old.',
                  at: START,
                  asDeadLetter: { ending: 'expired', blocksLane: true },
                },
              ],
            });
          else if (operation === 'discard')
            await journal.change({ end: [{ key: at, note: 'Discarded', at: START }] });
          else await journal.prune({ seqs: [at.seq], removeIdentitiesBefore: null });
        }
        expect(await counted()).toEqual(await scratch.rows(BY_ROWS));
      }),
      { numRuns: 25 },
    );
  });
});
