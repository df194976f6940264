import type { PruneOutcome } from '../../src/relay/database/journal';
import { draft, result, ScratchJournal, START, to } from './scratch-journal';

const MINUTE = 60_000;

describe('pruning the journal', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
  });

  afterEach(() => scratch.remove());

  /** Events 1 to `count`, a minute apart, the first at START. */
  const appendMinutes = async (count: number, targets: number[] = []) => {
    for (let n = 1; n <= count; n += 1) {
      scratch.now = START + (n - 1) * MINUTE;
      await scratch.journal.append(draft(n, { receivedAt: scratch.now }), to(...targets));
    }
  };
  const seqs = () =>
    scratch.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq').map(({ seq }) => seq);

  it('removes what was received earlier, with everything that belongs to it', async () => {
    await appendMinutes(4, [1]);
    for (const seq of [1, 2]) await scratch.journal.settle(result(seq, 1));
    await scratch.journal.append({ ...draft(1), receivedAt: scratch.now }, to());
    const outcome = await scratch.journal.prune({ before: START + 2 * MINUTE, after: 0, limit: 100 });
    expect(outcome).toEqual({ removed: 2, next: null });
    expect(seqs()).toEqual([3, 4]);
    expect(scratch.rows('SELECT event_seq FROM deliveries ORDER BY event_seq')).toEqual([
      { event_seq: 3 },
      { event_seq: 4 },
    ]);
    for (const table of ['attempts', 'duplicates']) expect(scratch.count(table)).toBe(0);
    expect(scratch.rows('SELECT seq FROM identities ORDER BY seq')).toEqual([{ seq: 3 }, { seq: 4 }]);
  });

  it('keeps an event with an unfinished delivery, however old', async () => {
    await appendMinutes(4, [1]);
    await scratch.journal.settle(result(1, 1));
    await scratch.journal.settle(result(2, 1, { state: 'retrying', dueAt: START + 5_000 }));
    await scratch.journal.settle(result(3, 1, { state: 'dead' }));
    expect(await scratch.journal.prune({ before: START + 60 * MINUTE, after: 0, limit: 100 })).toEqual({
      removed: 2,
      next: null,
    });
    expect(seqs()).toEqual([2, 4]);
  });

  it('keeps the newest, so that seq goes on from it after a new start', async () => {
    await appendMinutes(3);
    await scratch.journal.prune({ before: START + 60 * MINUTE, after: 0, limit: 100 });
    expect(seqs()).toEqual([3]);
    await scratch.reopen();
    const next = await scratch.journal.append(draft(9, { receivedAt: scratch.now }), to());
    expect(next).toMatchObject({ status: 'accepted', seq: 4 });
  });

  it('works in steps of so many events, and says where the next one begins', async () => {
    await appendMinutes(7);
    const steps: PruneOutcome[] = [];
    for (let after: number | null = 0; after !== null;) {
      const step: PruneOutcome = await scratch.journal.prune({ before: START + 5 * MINUTE, after, limit: 2 });
      steps.push(step);
      after = step.next;
    }
    expect(steps).toEqual([
      { removed: 2, next: 2 },
      { removed: 2, next: 4 },
      { removed: 1, next: null },
    ]);
    expect(seqs()).toEqual([6, 7]);
  });

  it('fails alone where it fails: events of the same group are stored, and nothing is half removed', async () => {
    await appendMinutes(3);
    scratch.exec(`CREATE TRIGGER poison BEFORE DELETE ON events WHEN OLD.seq = 2
      BEGIN SELECT RAISE(ABORT, 'poison'); END`);
    const [pruned, appended] = await Promise.allSettled([
      scratch.journal.prune({ before: START + 60 * MINUTE, after: 0, limit: 100 }),
      scratch.journal.append(draft(9, { receivedAt: scratch.now }), to()),
    ]);
    expect(scratch.groups).toHaveLength(4);
    expect(pruned).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect(appended).toMatchObject({ status: 'fulfilled', value: { status: 'accepted', seq: 4 } });
    expect(seqs()).toEqual([1, 2, 3, 4]);
    expect(scratch.count('identities')).toBe(4);
  });

  it('takes a notification for new whose first was pruned, though its timestamp was ahead of its arrival', async () => {
    const ahead = draft(1, { occurredAt: START + 10 * MINUTE });
    ahead.identity = { ...ahead.identity, minute: Math.floor((START + 10 * MINUTE) / MINUTE) };
    await scratch.journal.append(ahead, to());
    await scratch.journal.append(draft(2), to());
    scratch.now = START + 5 * MINUTE;
    await scratch.journal.prune({ before: scratch.now, after: 0, limit: 100 });
    expect(seqs()).toEqual([2]);
    const again = await scratch.journal.append({ ...ahead, receivedAt: scratch.now }, to(1));
    expect(again).toMatchObject({ status: 'accepted', seq: 3 });
    expect(await scratch.journal.append({ ...ahead, receivedAt: scratch.now }, to(1))).toMatchObject({
      status: 'duplicate',
      seq: 3,
    });
  });
});
