import { type DeliveryResult, type ScheduleDraft } from '../../../src/relay/database/journal/journal';
import { RELEASE_LANES } from '../../../src/relay/database/migrations/0010-released-lanes';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import {
  draft,
  result,
  ScratchJournal,
  START,
  to,
  type ScratchStore,
} from '../../support/daemon/scratch-journal';

const LATER = START + 3_600_000;

interface Row {
  key: string;
  state: string;
  due: number | null;
}

/** A delivery of a replay, in a lane of its own. */
const replayed = (seq: number): ScheduleDraft => ({
  seq,
  target: 1,
  trigger: 'replay',
  replayId: 'rpl_1',
  at: START,
  lane: 'rpl_1/deal:1',
});

/** A delivery of the first event by hand. */
const sentAgain: ScheduleDraft = { seq: 1, target: 1, trigger: 'manual', replayId: null, at: LATER };

const ofFirst = (n: number) => ({ seq: 1, target: 1, n });

/** Saves a result and then another. @returns how many were in the group of the first */
async function groupSize(
  { journal, groups }: Pick<ScratchStore, 'journal' | 'groups'>,
  ...[first, second]: [DeliveryResult, DeliveryResult]
): Promise<number> {
  // The group before ends after it has resolved its promises.
  await new Promise(setImmediate);
  const saved = [journal.saveResult(first)];
  await new Promise(setImmediate);
  saved.push(journal.saveResult(second));
  await Promise.all(saved);
  const { seq } = first.key;
  return groups.find(({ results }) => results.some(({ key }) => key.seq === seq))!.results.length;
}

onEachEngine('lanes in the journal', (open) => {
  let scratch: ScratchStore;
  let appended: number;

  beforeEach(async () => {
    appended = 0;
    scratch = await open();
  });

  afterEach(() => scratch.remove());

  /** Appends an event to each of the lanes, in this order; null is no lane. The events are numbered from 1. */
  const appendTo = (...lanes: (string | null)[]) =>
    Promise.all(
      lanes.map((lane) => {
        appended += 1;
        return scratch.journal.append(draft(appended), () => [{ target: 1, lane }]);
      }),
    );
  const finish = (seq: number, lane: string, parts: Partial<DeliveryResult> = {}) =>
    scratch.journal.saveResult(result(seq, 1, { lane, ...parts }));
  const rows = async () =>
    await scratch.rows<Row>(
      `SELECT event_seq || '.' || n AS key, state, due_at AS due FROM deliveries ORDER BY event_seq, n`,
    );
  const states = async () => (await rows()).map(({ key, state }) => `${key} ${state}`);
  const deadLetters = async () =>
    (await scratch.rows<{ count: number }>('SELECT count FROM dead_letter_counts'))[0]!.count;
  const promoted = () => scratch.groups.flatMap((group) => group.promoted.map(({ seq, n }) => `${seq}.${n}`));

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

describe('lanes in the journal, on SQLite only,', () => {
  it('let the result of the last delivery in a lane wait to share a group', async () => {
    const scratch = await ScratchJournal.open();
    const sharedByLast: number[] = [];
    for (let n = 1; n <= 10; n += 1) {
      const [first, last, other] = [3 * n - 2, 3 * n - 1, 3 * n];
      for (const seq of [first, last])
        await scratch.journal.append(draft(seq), () => [{ target: 1, lane: `deal:${n}` }]);
      await scratch.journal.append(draft(other), to(1));
      await scratch.journal.saveResult(result(first, 1, { lane: `deal:${n}` }));
      sharedByLast.push(await groupSize(scratch, result(last, 1, { lane: `deal:${n}` }), result(other, 1)));
    }
    await scratch.remove();
    expect(sharedByLast).toContain(2);
  });
});
