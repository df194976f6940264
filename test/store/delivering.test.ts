import { draft, result, ScratchJournal, START } from './scratch-journal';

describe('the queue of deliveries in the journal', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
  });

  afterEach(() => scratch.remove());

  const append = (n: number, targets: number[]) => scratch.journal.append(draft(n), () => targets);

  it('gives what is due for one target, the longest due first, then in the order of commit', async () => {
    const { journal } = scratch;
    for (const n of [1, 2, 3, 4]) await append(n, [1, 2]);
    await journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    await journal.settle(result(2, 1, { state: 'succeeded' }));
    await journal.change([], [{ seq: 4, target: 1, trigger: 'manual', replayId: 'rpl_1', at: START - 1 }]);
    const due = async (now: number, limit = 10) =>
      (await journal.takeDue(1, now, limit)).map(({ key }) => `${key.seq}.${key.n}`);
    expect(await due(START)).toEqual(['4.1', '3.0', '4.0']);
    expect(await due(START + 4_999)).toEqual(['4.1', '3.0', '4.0']);
    expect(await due(START + 5_000)).toEqual(['4.1', '3.0', '4.0', '1.0']);
    expect(await due(START + 5_000, 2)).toEqual(['4.1', '3.0']);
    expect(await due(START - 2)).toEqual([]);
    expect(await journal.takeDue(3, START, 10)).toEqual([]);
  });

  it('tells how often a delivery was tried, and where it comes from', async () => {
    const { journal } = scratch;
    await append(1, [1]);
    await journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    await journal.change(
      [],
      [{ seq: 1, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START + 6_000 }],
    );
    expect(await journal.takeDue(1, START + 6_000, 10)).toEqual([
      {
        key: { seq: 1, target: 1, n: 0 },
        attempts: 1,
        dueAt: START + 5_000,
        createdAt: START,
        trigger: 'live',
        replayId: null,
      },
      {
        key: { seq: 1, target: 1, n: 1 },
        attempts: 0,
        dueAt: START + 6_000,
        createdAt: START + 6_000,
        trigger: 'replay',
        replayId: 'rpl_1',
      },
    ]);
  });

  it('has a result on disk when settling resolves: it survives a new start', async () => {
    await append(1, [1, 2]);
    await Promise.all([
      scratch.journal.settle(result(1, 1)),
      scratch.journal.settle(result(1, 2, { state: 'retrying', dueAt: START + 5_000 })),
    ]);
    const stored = scratch.rows(
      'SELECT target_id, state, attempts, due_at, settled_at, last_status FROM deliveries',
    );
    expect(stored).toEqual([
      {
        target_id: 1,
        state: 'succeeded',
        attempts: 1,
        due_at: null,
        settled_at: START + 5,
        last_status: 204,
      },
      {
        target_id: 2,
        state: 'retrying',
        attempts: 1,
        due_at: START + 5_000,
        settled_at: null,
        last_status: 204,
      },
    ]);
    await scratch.reopen();
    expect(await scratch.journal.takeDue(1, START + 60_000, 10)).toEqual([]);
    expect(await scratch.journal.takeDue(2, START + 60_000, 10)).toHaveLength(1);
    expect(scratch.count('attempts')).toBe(2);
  });

  it('writes every result that it was given before it closes, however many', async () => {
    const count = 1_300;
    await Promise.all(Array.from({ length: count }, (_, n) => append(n, [1])));
    for (let seq = 1; seq <= count; seq += 1) void scratch.journal.settle(result(seq, 1));
    await scratch.shut();
    expect(scratch.rows('SELECT state, count(*) AS count FROM deliveries GROUP BY state')).toEqual([
      { state: 'succeeded', count },
    ]);
  });

  it('leaves a delivery cancelled that was cancelled while its last attempt was under way', async () => {
    await append(1, [1]);
    await scratch.journal.change([
      [`UPDATE deliveries SET state = 'cancelled', due_at = NULL WHERE target_id = ?`, [1]],
    ]);
    await scratch.journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    expect(scratch.rows('SELECT state, due_at FROM deliveries')).toEqual([
      { state: 'cancelled', due_at: null },
    ]);
  });

  it('gives the stored bytes of an event, and null for one that is not there', async () => {
    await append(1, []);
    const event = await scratch.journal.readEvent(1);
    expect(event).toMatchObject({ seq: 1, type: 'deal.updated', entity: 'deal:1', receivedAt: START });
    expect(Buffer.from(event!.body).equals(Buffer.from(draft(1).body))).toBe(true);
    expect(await scratch.journal.readEvent(2)).toBeNull();
  });
});
