import { type ScheduleDraft } from '../../../src/relay/database/journal/journal';
import { RELEASE_LANES } from '../../../src/relay/database/migrations/0010-released-lanes';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { result } from '../../support/daemon/scratch-journal';
import {
  LATER,
  appendTo,
  finish,
  promoted,
  replayed,
  rows,
  scratch,
  states,
  useLanes,
} from './scratch-lanes';

/** A delivery of the first event by hand. */
const sentAgain: ScheduleDraft = { seq: 1, target: 1, trigger: 'manual', replayId: null, at: LATER };

const ofFirst = (n: number) => ({ seq: 1, target: 1, n });

const deadLetters = async () =>
  (await scratch.rows<{ count: number }>('SELECT count FROM dead_letter_counts'))[0]!.count;

onEachEngine('lanes in the journal', (open) => {
  useLanes(open);

  it('are blocked by a dead letter if the policy says so, for later deliveries too, until it is discarded', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:2');
    await finish(1, 'deal:1', { state: 'dead', blocksLane: true });
    await appendTo('deal:1');
    await scratch.reopen();
    await appendTo('deal:1');
    expect(await states()).toEqual(['1.0 dead', '2.0 waiting', '3.0 pending', '4.0 waiting', '5.0 waiting']);
    // Retention keeps the events, since their deliveries are queued.
    await scratch.journal.prune({ seqs: [1, 2, 3, 4], removeIdentitiesBefore: null });
    expect(await scratch.count('events')).toBe(5);

    // Discarding it releases the lane.
    scratch.clock.time = LATER;
    const { ended } = await scratch.journal.change({
      end: [{ key: ofFirst(0), note: 'Not wanted.', at: LATER }],
    });
    expect(ended).toEqual(['dead']);
    expect((await rows()).slice(0, 2)).toEqual([
      { key: '1.0', state: 'cancelled', due: null },
      { key: '2.0', state: 'pending', due: LATER },
    ]);
  });

  it('are still blocked by a retry of the dead letter, which takes its place', async () => {
    await appendTo('deal:1', 'deal:1');
    await finish(1, 'deal:1', { state: 'dead', blocksLane: true });
    const { scheduled } = await scratch.journal.change({ schedule: [{ ...sentAgain, retryOf: 0 }] });
    expect(scheduled).toEqual([{ seq: 1, target: 1, n: 1 }]);
    expect(await states()).toEqual(['1.0 dead', '1.1 pending', '2.0 waiting']);
    await scratch.journal.saveResult({
      ...result(1, 1, { lane: 'deal:1' }),
      key: { seq: 1, target: 1, n: 1 },
    });
    expect(await states()).toEqual(['1.0 dead', '1.1 succeeded', '2.0 pending']);
  });

  it.each([
    ['in a replay', () => [replayed(1)]],
    ['out of order', () => [sentAgain]],
    ['by the second of two', () => [sentAgain, replayed(1)]],
  ])('go on once the event of the dead letter that blocks them is delivered %s', async (_, drafts) => {
    await appendTo('deal:1', 'deal:1', 'deal:1');
    await finish(1, 'deal:1', { state: 'dead', blocksLane: true });
    const { scheduled } = await scratch.journal.change({ schedule: drafts() });
    // It is a dead letter until then.
    expect((await states())[0]).toBe('1.0 dead');
    expect(await deadLetters()).toBe(1);
    expect(promoted()).toEqual([]);
    const { lane = null } = drafts().at(-1)!;
    await scratch.journal.saveResult({ ...result(1, 1, { lane }), key: scheduled.at(-1)! });
    expect(promoted()).toEqual(['2.0']);
    expect(await deadLetters()).toBe(0);
    await finish(2, 'deal:1');
    expect(promoted()).toEqual(['2.0', '3.0']);
  });

  it('stay blocked, by a dead letter that still counts, if the event is not delivered otherwise either', async () => {
    await appendTo('deal:1', 'deal:1');
    await finish(1, 'deal:1', { state: 'dead', blocksLane: true });
    await scratch.journal.change({ schedule: [sentAgain, sentAgain, replayed(1)] });
    await scratch.journal.saveResult({ ...result(1, 1, { state: 'dead' }), key: ofFirst(1) });
    await scratch.journal.change({ end: [{ key: ofFirst(2), note: 'Not wanted.', at: LATER }] });
    const asDeadLetter = { ending: 'expired', blocksLane: true } as const;
    await scratch.journal.change({ end: [{ key: ofFirst(3), note: 'Too old.', at: LATER, asDeadLetter }] });
    expect(promoted()).toEqual([]);
    // And the one that blocks the lane of the replay.
    expect(await deadLetters()).toBe(2);
    await scratch.journal.change({ schedule: [{ ...sentAgain, retryOf: 3 }] });
    expect(await deadLetters()).toBe(1);
    await scratch.journal.saveResult({ ...result(1, 1, { lane: 'rpl_1/deal:1' }), key: ofFirst(4) });
    expect(await deadLetters()).toBe(0);
    expect(promoted()).toEqual(['2.0']);
  });

  it('are not blocked by a delivery that becomes dead after its event was delivered otherwise', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:2', 'deal:2');
    await scratch.journal.change({ schedule: [sentAgain, { ...sentAgain, seq: 3 }] });
    for (const seq of [1, 3])
      await scratch.journal.saveResult({ ...result(seq, 1), key: { seq, target: 1, n: 1 } });
    await finish(1, 'deal:1', { state: 'dead', blocksLane: true });
    const asDeadLetter = { ending: 'expired', blocksLane: true } as const;
    const third = { seq: 3, target: 1, n: 0 };
    await scratch.journal.change({ end: [{ key: third, note: 'Too old.', at: LATER, asDeadLetter }] });
    expect(promoted()).toEqual(['2.0', '4.0']);
    expect(await deadLetters()).toBe(0);
  });

  it('that an earlier version left blocked, or without a head, go on after the upgrade', async () => {
    await appendTo('deal:1', 'deal:1', 'deal:2', 'deal:2', 'deal:3', 'deal:3');
    for (const seq of [1, 3]) await finish(seq, `deal:${(seq + 1) / 2}`, { state: 'dead', blocksLane: true });
    await scratch.journal.change({ schedule: [sentAgain, { ...sentAgain, seq: 3 }] });
    // As it was: delivered to no effect on the lane, cancelled, and not counted.
    await scratch.exec(`
      UPDATE deliveries SET state = 'succeeded', due_at = NULL, finished_at = 1, attempts = 1 WHERE event_seq = 1 AND n = 1;
      UPDATE deliveries SET state = 'cancelled', due_at = NULL, finished_at = 1 WHERE event_seq = 3 AND n = 1;
      UPDATE deliveries SET state = 'succeeded', due_at = NULL, finished_at = 1, attempts = 1 WHERE event_seq = 5;
      UPDATE dead_letter_counts SET count = 0;`);
    for (const statement of RELEASE_LANES) await scratch.exec(statement);
    expect(await states()).toEqual([
      '1.0 dead',
      '1.1 succeeded',
      '2.0 pending',
      '3.0 dead',
      '3.1 cancelled',
      '4.0 waiting',
      '5.0 succeeded',
      '6.0 pending',
    ]);
    expect(await deadLetters()).toBe(1);
    const due = await scratch.journal.takeDue(1, 0, LATER, 10);
    expect(due.map(({ key: { seq } }) => seq)).toEqual([2, 6]);
  });
});
