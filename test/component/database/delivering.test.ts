import { draft, result, ScratchJournal, START, to } from './scratch-journal';

describe('the queue of deliveries in the journal', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
  });

  afterEach(() => scratch.remove());

  const append = (n: number, targets: number[]) =>
    scratch.journal.append(draft(n, { receivedAt: scratch.clock.now() }), to(...targets));

  it('gives what of a class is due for one target, the longest due first, then in the order of commit', async () => {
    const { journal } = scratch;
    for (const n of [1, 2, 3, 4, 5]) await append(n, [1, 2]);
    await journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    await journal.settle(result(2, 1, { state: 'succeeded' }));
    await journal.settle(result(5, 1, { state: 'retrying', dueAt: START + 4_000 }));
    scratch.now += 1;
    await journal.change([], [{ seq: 2, target: 1, trigger: 'manual', replayId: null, at: START + 1 }]);
    await journal.change([], [{ seq: 2, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START + 1 }]);
    const due = async (ofClass: 0 | 1 | 2, now: number, limit = 10) =>
      (await journal.takeDue(1, ofClass, now, limit)).map(({ key }) => `${key.seq}.${key.n}`);
    expect(await due(0, START + 1)).toEqual(['3.0', '4.0', '2.1']);
    expect(await due(0, START + 1, 2)).toEqual(['3.0', '4.0']);
    expect(await due(0, START)).toEqual(['3.0', '4.0']);
    expect(await due(0, START - 1)).toEqual([]);
    expect(await due(1, START + 3_999)).toEqual([]);
    expect(await due(1, START + 4_999)).toEqual(['5.0']);
    expect(await due(1, START + 5_000)).toEqual(['5.0', '1.0']);
    expect(await due(2, START + 1)).toEqual(['2.2']);
    expect(await journal.takeDue(3, 0, START, 10)).toEqual([]);
  });

  it('gives what was put off beyond a pause as well, behind what is due', async () => {
    const { journal } = scratch;
    for (const n of [1, 2, 3]) await append(n, [1]);
    await journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 7_200_000 }));
    await journal.settle(result(2, 1, { state: 'retrying', dueAt: START + 60_000 }));
    await journal.settle(result(3, 1, { state: 'retrying', dueAt: START }));
    const due = async (limit: number, beyond: number) =>
      (await journal.takeDue(1, 1, START, limit, beyond)).map(({ key }) => key.seq);
    expect(await due(10, START + 60_000)).toEqual([3, 1]);
    expect(await due(1, START + 60_000)).toEqual([3]);
    expect(await due(10, START + 7_200_000)).toEqual([3]);
  });

  it('lets what came first go first, whatever the wall clock is set to meanwhile', async () => {
    await append(1, [1]);
    scratch.jumped = -7_200_000;
    await append(2, [1]);
    scratch.jumped = 40 * 86_400_000;
    await append(3, [1]);
    scratch.jumped = 0;
    await append(4, [1]);
    const due = await scratch.journal.takeDue(1, 0, Infinity, 10);
    expect(due.map(({ key }) => key.seq)).toEqual([1, 2, 3, 4]);
  });

  it('keeps a replay behind everything else when it is tried again', async () => {
    const { journal } = scratch;
    await append(1, []);
    await journal.change([], [{ seq: 1, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START }]);
    const again = { ...result(1, 1, { state: 'retrying', dueAt: START }), key: { seq: 1, target: 1, n: 1 } };
    await journal.settle(again);
    expect(await journal.takeDue(1, 1, START, 10)).toEqual([]);
    expect(await journal.takeDue(1, 2, START, 10)).toHaveLength(1);
  });

  it('tells how often a delivery was tried, since when, and where it comes from', async () => {
    const { journal } = scratch;
    await append(1, [1]);
    scratch.now += 6_000;
    await journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 5_000, spared: 1 }));
    await journal.change(
      [],
      [{ seq: 1, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START + 6_000, lane: 'rpl_1/*' }],
    );
    expect(await journal.takeDue(1, 1, START + 6_000, 10)).toEqual([
      {
        key: { seq: 1, target: 1, n: 0 },
        class: 1,
        lane: null,
        attempts: 1,
        spared: 1,
        dueAt: START + 5_000,
        createdAt: START,
        trigger: 'live',
        replayId: null,
      },
    ]);
    expect(await journal.takeDue(1, 2, START + 6_000, 10)).toEqual([
      {
        key: { seq: 1, target: 1, n: 1 },
        class: 2,
        lane: 'rpl_1/*',
        attempts: 0,
        spared: 0,
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
    expect(await scratch.journal.takeDue(1, 0, START + 60_000, 10)).toEqual([]);
    expect(await scratch.journal.takeDue(2, 1, START + 60_000, 10)).toHaveLength(1);
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

  it('leaves a delivery cancelled that was cancelled while its last attempt was under way, and counts that', async () => {
    await append(1, [1]);
    const key = { seq: 1, target: 1, n: 0 };
    const note = 'Discarded by hand.';
    const { concluded } = await scratch.journal.change([], [], [{ key, note, at: START + 1 }]);
    expect(concluded).toEqual(['pending']);
    await scratch.journal.settle(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    expect(scratch.rows('SELECT state, due_at, settled_at, note, attempts FROM deliveries')).toEqual([
      { state: 'cancelled', due_at: null, settled_at: START + 1, note, attempts: 1 },
    ]);
    expect(scratch.count('attempts')).toBe(1);
    expect(scratch.groups.flatMap(({ settled }) => settled)).toEqual([]);
    expect(scratch.groups.flatMap((group) => group.concluded)).toEqual([
      { key, was: 'pending', replayId: null, died: null },
    ]);
  });

  it('concludes what is dead or open, once, and nothing else', async () => {
    await append(1, [1, 2, 3]);
    await scratch.journal.settle(result(1, 1));
    await scratch.journal.settle(result(1, 2, { state: 'dead', note: 'The target answered 404.' }));
    const conclude = [1, 2, 3, 3, 4].map((target) => ({
      key: { seq: 1, target, n: 0 },
      note: 'Not wanted.',
      at: START + 60_000,
    }));
    const { concluded } = await scratch.journal.change([], [], conclude);
    expect(concluded).toEqual([null, 'dead', 'pending', null, null]);
    expect(scratch.rows('SELECT state, settled_at, note FROM deliveries ORDER BY target_id')).toEqual([
      { state: 'succeeded', settled_at: START + 5, note: null },
      { state: 'cancelled', settled_at: START + 5, note: 'Not wanted.' },
      { state: 'cancelled', settled_at: START + 60_000, note: 'Not wanted.' },
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
