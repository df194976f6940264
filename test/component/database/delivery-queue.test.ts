import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';

onEachEngine('the queue of deliveries in the journal', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
  });

  afterEach(() => scratch.remove());

  const append = (n: number, targets: number[]) =>
    scratch.journal.append(draft(n, { receivedAt: scratch.clock.now() }), to(...targets));

  it('returns the due deliveries of a class and a target, the earliest due first, then in commit order', async () => {
    const { journal } = scratch;
    for (const n of [1, 2, 3, 4, 5]) await append(n, [1, 2]);
    await journal.saveResult(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    await journal.saveResult(result(2, 1, { state: 'succeeded' }));
    await journal.saveResult(result(5, 1, { state: 'retrying', dueAt: START + 4_000 }));
    scratch.clock.time += 1;
    await journal.change({
      schedule: [{ seq: 2, target: 1, trigger: 'manual', replayId: null, at: START + 1 }],
    });
    await journal.change({
      schedule: [{ seq: 2, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START + 1 }],
    });
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

  it('finds the targets that may have due deliveries', async () => {
    const { journal } = scratch;
    const beyond = START + 10_000;
    for (const target of [1, 2, 3, 4]) await append(target, [target]);
    await journal.saveResult(result(2, 2, { state: 'retrying', dueAt: START + 5_000 }));
    await journal.saveResult(result(3, 3, { state: 'retrying', dueAt: beyond + 1 }));
    await journal.saveResult(result(4, 4));
    const found = (now: number) =>
      journal.findDue(
        [1, 2, 3, 4, 5].map((target) => ({ target, beyond })),
        now,
      );
    expect(await found(START - 1)).toEqual(expect.arrayContaining([1, 3]));
    expect(await found(START + 5_000)).toEqual(expect.arrayContaining([1, 2, 3]));
  });

  it('returns the deliveries after one that was read, in the same order', async () => {
    const { journal } = scratch;
    await Promise.all([1, 2, 3].map((n) => append(n, [1])));
    scratch.clock.time += 1;
    await append(4, [1]);
    const first = await journal.takeDue(1, 0, Infinity, 2);
    expect(first.map(({ key }) => key.seq)).toEqual([1, 2]);
    const next = await journal.takeDue(1, 0, Infinity, 2, Infinity, first.at(-1));
    expect(next.map(({ key }) => key.seq)).toEqual([3, 4]);
    expect(await journal.takeDue(1, 0, Infinity, 2, Infinity, next.at(-1))).toEqual([]);
  });

  it('returns the event of a delivery with it, unless its body is large', async () => {
    const { journal } = scratch;
    await append(1, [1]);
    await journal.append(draft(2, { body: Buffer.alloc(5_000, 'x') }), to(1));
    const [small, large] = await journal.takeDue(1, 0, Infinity, 2);
    expect(small!.event).toEqual(await journal.readEvent(1));
    expect(large).toMatchObject({ key: { seq: 2 } });
    expect(large!.event).toBeUndefined();
  });

  it('returns deliveries postponed beyond any pause too, after those that are due', async () => {
    const { journal } = scratch;
    for (const n of [1, 2, 3]) await append(n, [1]);
    await journal.saveResult(result(1, 1, { state: 'retrying', dueAt: START + 7_200_000 }));
    await journal.saveResult(result(2, 1, { state: 'retrying', dueAt: START + 60_000 }));
    await journal.saveResult(result(3, 1, { state: 'retrying', dueAt: START }));
    const due = async (limit: number, beyond: number) =>
      (await journal.takeDue(1, 1, START, limit, beyond)).map(({ key }) => key.seq);
    expect(await due(10, START + 60_000)).toEqual([3, 1]);
    expect(await due(1, START + 60_000)).toEqual([3]);
    expect(await due(10, START + 7_200_000)).toEqual([3]);
  });

  it('keeps the order of arrival when the wall clock is set', async () => {
    await append(1, [1]);
    scratch.clock.jumped = -7_200_000;
    await append(2, [1]);
    scratch.clock.jumped = 40 * 86_400_000;
    await append(3, [1]);
    scratch.clock.jumped = 0;
    await append(4, [1]);
    const due = await scratch.journal.takeDue(1, 0, Infinity, 10);
    expect(due.map(({ key }) => key.seq)).toEqual([1, 2, 3, 4]);
  });

  it('keeps the lowest priority of a replay when it is retried', async () => {
    const { journal } = scratch;
    await append(1, []);
    await journal.change({
      schedule: [{ seq: 1, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START }],
    });
    const again = { ...result(1, 1, { state: 'retrying', dueAt: START }), key: { seq: 1, target: 1, n: 1 } };
    await journal.saveResult(again);
    expect(await journal.takeDue(1, 1, START, 10)).toEqual([]);
    expect(await journal.takeDue(1, 2, START, 10)).toHaveLength(1);
  });

  it('returns no delivery whose result was saved while it was read, which would be sent twice', async () => {
    const { journal } = scratch;
    const count = 60;
    for (let n = 1; n <= count; n += 1) await append(n, [1]);
    const saved = new Set<number>();
    const readAll = async () => {
      while (saved.size < count) {
        const due = await journal.takeDue(1, 0, START, count);
        expect(due.filter(({ key }) => saved.has(key.seq))).toEqual([]);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    };
    const saveAll = async () => {
      for (let seq = 1; seq <= count; seq += 1) {
        await journal.saveResult(result(seq, 1, { lane: `deal:${seq}` }));
        saved.add(seq);
      }
    };
    await Promise.all([saveAll(), readAll(), readAll(), readAll()]);
  });

  it('returns the attempts, age and origin of a delivery', async () => {
    const { journal } = scratch;
    await append(1, [1]);
    scratch.clock.time += 6_000;
    await journal.saveResult(result(1, 1, { state: 'retrying', dueAt: START + 5_000, uncounted: 1 }));
    await journal.change({
      schedule: [
        { seq: 1, target: 1, trigger: 'replay', replayId: 'rpl_1', at: START + 6_000, lane: 'rpl_1/*' },
      ],
    });
    expect(await journal.takeDue(1, 1, START + 6_000, 10)).toMatchObject([
      {
        key: { seq: 1, target: 1, n: 0 },
        class: 1,
        lane: null,
        attempts: 1,
        uncounted: 1,
        dueAt: START + 5_000,
        createdAt: START,
        trigger: 'live',
        replayId: null,
        event: await journal.readEvent(1),
      },
    ]);
    expect(await journal.takeDue(1, 2, START + 6_000, 10)).toMatchObject([
      {
        key: { seq: 1, target: 1, n: 1 },
        class: 2,
        lane: 'rpl_1/*',
        attempts: 0,
        uncounted: 0,
        dueAt: START + 6_000,
        createdAt: START + 6_000,
        trigger: 'replay',
        replayId: 'rpl_1',
        event: await journal.readEvent(1),
      },
    ]);
  });

  it('has stored a result once saving it resolves, so that it survives a restart', async () => {
    await append(1, [1, 2]);
    await Promise.all([
      scratch.journal.saveResult(result(1, 1)),
      scratch.journal.saveResult(result(1, 2, { state: 'retrying', dueAt: START + 5_000 })),
    ]);
    const stored = await scratch.rows(
      'SELECT target_id, state, attempts, due_at, finished_at, last_status FROM deliveries',
    );
    expect(stored).toEqual([
      {
        target_id: 1,
        state: 'succeeded',
        attempts: 1,
        due_at: null,
        finished_at: START + 5,
        last_status: 204,
      },
      {
        target_id: 2,
        state: 'retrying',
        attempts: 1,
        due_at: START + 5_000,
        finished_at: null,
        last_status: 204,
      },
    ]);
    await scratch.reopen();
    expect(await scratch.journal.takeDue(1, 0, START + 60_000, 10)).toEqual([]);
    expect(await scratch.journal.takeDue(2, 1, START + 60_000, 10)).toHaveLength(1);
    expect(await scratch.count('attempts')).toBe(2);
  });

  it('writes all pending results before it closes', async () => {
    const count = 1_300;
    await Promise.all(Array.from({ length: count }, (_, n) => append(n, [1])));
    for (let seq = 1; seq <= count; seq += 1) void scratch.journal.saveResult(result(seq, 1));
    await scratch.close();
    expect(await scratch.rows('SELECT state, count(*) AS count FROM deliveries GROUP BY state')).toEqual([
      { state: 'succeeded', count },
    ]);
  });

  it('leaves a delivery cancelled that was cancelled during an attempt, and counts the attempt', async () => {
    await append(1, [1]);
    const key = { seq: 1, target: 1, n: 0 };
    const note = 'Discarded by hand.';
    const { ended } = await scratch.journal.change({ end: [{ key, note, at: START + 1 }] });
    expect(ended).toEqual(['pending']);
    await scratch.journal.saveResult(result(1, 1, { state: 'retrying', dueAt: START + 5_000 }));
    expect(await scratch.rows('SELECT state, due_at, finished_at, note, attempts FROM deliveries')).toEqual([
      { state: 'cancelled', due_at: null, finished_at: START + 1, note, attempts: 1 },
    ]);
    expect(await scratch.count('attempts')).toBe(1);
    expect(scratch.groups.flatMap(({ results }) => results)).toEqual([]);
    expect(scratch.groups.flatMap((group) => group.ended)).toEqual([
      { key, previousState: 'pending', replayId: null, deadLetter: null },
    ]);
  });

  it('ends dead and queued deliveries once, and no others', async () => {
    await append(1, [1, 2, 3]);
    await scratch.journal.saveResult(result(1, 1));
    await scratch.journal.saveResult(result(1, 2, { state: 'dead', note: 'HTTP 404.' }));
    const drafts = [1, 2, 3, 3, 4].map((target) => ({
      key: { seq: 1, target, n: 0 },
      note: 'Not wanted.',
      at: START + 60_000,
    }));
    const { ended } = await scratch.journal.change({ end: drafts });
    expect(ended).toEqual([null, 'dead', 'pending', null, null]);
    expect(await scratch.rows('SELECT state, finished_at, note FROM deliveries ORDER BY target_id')).toEqual([
      { state: 'succeeded', finished_at: START + 5, note: null },
      { state: 'cancelled', finished_at: START + 5, note: 'Not wanted.' },
      { state: 'cancelled', finished_at: START + 60_000, note: 'Not wanted.' },
    ]);
  });

  it('returns the stored bytes of an event, or null if it does not exist', async () => {
    await append(1, []);
    const event = await scratch.journal.readEvent(1);
    expect(event).toMatchObject({ seq: 1, type: 'deal.updated', entity: 'deal:1', receivedAt: START });
    expect(Buffer.from(event!.body).equals(Buffer.from(draft(1).body))).toBe(true);
    expect(await scratch.journal.readEvent(2)).toBeNull();
  });
});
