import { statSync } from 'node:fs';
import type { PruneStep } from '../../../src/relay/database/journal/prune-step';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { pruningStatements, CREATE_REMOVED_EVENTS } from '../../../src/relay/database/sqlite/writer/pruning';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import {
  draft,
  IDENTITIES,
  result,
  ScratchJournal,
  START,
  to,
  type ScratchStore,
} from '../../support/daemon/scratch-journal';

const MINUTE = 60_000;

const inLane = () => [{ target: 1, lane: 'deal:7' }];

onEachEngine('pruning the journal', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
  });

  afterEach(() => scratch.remove());

  /** Appends events 1 to `count`, a minute apart, the first at START. */
  const appendMinutes = async (count: number, targets: number[] = []) => {
    for (let n = 1; n <= count; n += 1) {
      scratch.clock.time = START + (n - 1) * MINUTE;
      await scratch.journal.append(draft(n, { receivedAt: scratch.clock.time }), to(...targets));
    }
  };
  const seqs = async () => {
    const rows = await scratch.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq');
    return rows.map(({ seq }) => seq);
  };

  const addTargets = async (...numbers: number[]) => {
    for (const number of numbers)
      await scratch.exec(`INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at)
        VALUES (${number}, 'tgt_${number}', 'target ${number}', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0)`);
  };
  const prune = (seqsToRemove: number[], parts: Partial<PruneStep> = {}) =>
    scratch.journal.prune({ seqs: seqsToRemove, removeIdentitiesBefore: null, ...parts });

  it('removes events with everything that belongs to them', async () => {
    await appendMinutes(4, [1]);
    for (const seq of [1, 2]) await scratch.journal.saveResult(result(seq, 1));
    await scratch.journal.append({ ...draft(1), receivedAt: scratch.clock.time }, to());
    expect(await prune([1, 2])).toMatchObject({ removed: 2, deadLetters: 0, cancelled: 0 });
    expect(await seqs()).toEqual([3, 4]);
    expect(await scratch.rows('SELECT event_seq FROM deliveries ORDER BY event_seq')).toEqual([
      { event_seq: 3 },
      { event_seq: 4 },
    ]);
    for (const table of ['attempts', 'duplicates']) expect(await scratch.count(table)).toBe(0);
    expect(await scratch.rows(`SELECT seq FROM ${IDENTITIES} ORDER BY seq`)).toEqual([
      { seq: 3 },
      { seq: 4 },
    ]);
  });

  it('keeps an event with an unfinished delivery', async () => {
    await appendMinutes(4, [1]);
    await scratch.journal.saveResult(result(1, 1));
    await scratch.journal.saveResult(result(2, 1, { state: 'retrying', dueAt: START + 5_000 }));
    expect(await prune([1, 2, 3])).toMatchObject({ removed: 1, cancelled: 0 });
    expect(await seqs()).toEqual([2, 3, 4]);
  });

  it('keeps an event with a current dead letter, unless those are removed too, and counts them', async () => {
    await appendMinutes(4, [1, 2]);
    await addTargets(1, 2);
    for (const seq of [1, 2])
      for (const target of [1, 2]) await scratch.journal.saveResult(result(seq, target, { state: 'dead' }));
    await scratch.journal.saveResult(result(3, 1, { state: 'dead' }));
    expect(await prune([1, 2, 3])).toMatchObject({ removed: 0, deadLetters: 0 });
    expect(await prune([1, 2, 3], { deadLetters: true })).toMatchObject({ removed: 2, deadLetters: 4 });
    expect(await seqs()).toEqual([3, 4]);
  });

  it('removes an event whose dead letter has a later delivery, or whose target was removed', async () => {
    await appendMinutes(3, [1]);
    await addTargets(1, 2);
    await scratch.journal.saveResult(result(1, 1, { state: 'dead' }));
    const again = { seq: 1, target: 1, trigger: 'manual', replayId: null, at: START } as const;
    await scratch.journal.change({ schedule: [again] });
    await scratch.journal.saveResult({ ...result(1, 1), key: { seq: 1, target: 1, n: 1 } });
    await scratch.journal.saveResult(result(2, 1, { state: 'dead' }));
    expect(await prune([1, 2])).toMatchObject({ removed: 1 });
    await scratch.exec('UPDATE targets SET deleted_at = 1');
    expect(await prune([1, 2])).toMatchObject({ removed: 1, deadLetters: 0 });
    expect(await seqs()).toEqual([3]);
  });

  it('keeps the newest event, so that seq continues from it after a restart', async () => {
    await appendMinutes(3);
    await prune([1, 2, 3]);
    expect(await seqs()).toEqual([3]);
    await scratch.reopen();
    const next = await scratch.journal.append(draft(9, { receivedAt: scratch.clock.time }), to());
    expect(next).toMatchObject({ status: 'accepted', seq: 4 });
  });

  it('cancels unfinished deliveries if requested, publishes that, and continues their lane', async () => {
    for (let n = 1; n <= 4; n += 1) await scratch.journal.append(draft(n), inLane);
    const cancel = { note: 'No room.', at: START + MINUTE };
    scratch.clock.time += MINUTE;
    expect(await prune([1, 2], { cancel })).toMatchObject({ removed: 2, cancelled: 2 });
    expect(scratch.groups.at(-1)!.ended).toEqual([
      { key: { seq: 1, target: 1, n: 0 }, previousState: 'pending', replayId: null, deadLetter: null },
      { key: { seq: 2, target: 1, n: 0 }, previousState: 'pending', replayId: null, deadLetter: null },
    ]);
    expect(await scratch.rows('SELECT event_seq, state, due_at FROM deliveries ORDER BY event_seq')).toEqual([
      { event_seq: 3, state: 'pending', due_at: START + MINUTE },
      { event_seq: 4, state: 'waiting', due_at: null },
    ]);
  });

  it('stores no attempt whose delivery was removed in the meantime', async () => {
    await appendMinutes(2, [1]);
    const cancel = { note: 'No room.', at: START };
    await prune([1], { cancel });
    await scratch.journal.saveResult(result(1, 1));
    expect(await scratch.count('attempts')).toBe(0);
    expect(scratch.groups.at(-1)!.results).toEqual([]);
  });

  it('removes the identities of removed events', async () => {
    await appendMinutes(4, []);
    await prune([1, 2]);
    expect(await scratch.rows(`SELECT seq FROM ${IDENTITIES} ORDER BY seq`)).toEqual([
      { seq: 3 },
      { seq: 4 },
    ]);
  });

  it('removes the identity of an event without a minute of its own', async () => {
    for (const [n, minute] of [0, -1, 0, 0].entries())
      await scratch.journal.append(draft(n, { identity: { ...draft(n).identity, minute } }), to());
    await prune([1, 2, 3]);
    expect(await scratch.rows(`SELECT minute, seq FROM ${IDENTITIES}`)).toEqual([{ minute: 0, seq: 4 }]);
  });

  it('fails alone: events that are queued with it are stored, and nothing is partly removed', async () => {
    await appendMinutes(3);
    await scratch.reject('DELETE', 'events', 'OLD.seq = 2');
    const [pruned, appended] = await Promise.allSettled([
      prune([1, 2]),
      scratch.journal.append(draft(9, { receivedAt: scratch.clock.time }), to()),
    ]);
    expect(scratch.groups).toHaveLength(3 + scratch.groupsOfMixedWork);
    expect(pruned).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect(appended).toMatchObject({ status: 'fulfilled', value: { status: 'accepted', seq: 4 } });
    expect(await seqs()).toEqual([1, 2, 3, 4]);
    expect(await scratch.count(IDENTITIES)).toBe(4);
  });

  it('accepts a notification again once it was pruned, even if its timestamp was ahead of its arrival', async () => {
    const ahead = draft(1, { occurredAt: START + 10 * MINUTE });
    ahead.identity = { ...ahead.identity, minute: Math.floor((START + 10 * MINUTE) / MINUTE) };
    await scratch.journal.append(ahead, to());
    await scratch.journal.append(draft(2), to());
    scratch.clock.time = START + 5 * MINUTE;
    await prune([1], { removeIdentitiesBefore: scratch.clock.time });
    expect(await seqs()).toEqual([2]);
    const again = await scratch.journal.append({ ...ahead, receivedAt: scratch.clock.time }, to(1));
    expect(again).toMatchObject({ status: 'accepted', seq: 3 });
    expect(await scratch.journal.append({ ...ahead, receivedAt: scratch.clock.time }, to(1))).toMatchObject({
      status: 'duplicate',
      seq: 3,
    });
  });
});

describe('pruning a SQLite file', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
  });

  afterEach(() => scratch.remove());

  it('finds what belongs to an event by key', () => {
    const connection = new sqliteDriver(scratch.file);
    connection.exec(CREATE_REMOVED_EVENTS);
    const { event, removeEvent } = pruningStatements(connection);
    const plans = [event, ...removeEvent].map(
      ({ source }) =>
        connection.prepare(`EXPLAIN QUERY PLAN ${source}`).all({ seq: 1 }) as { detail: string }[],
    );
    connection.close();
    const lookUps = plans.flat().map(({ detail }) => detail);
    expect(lookUps.length).toBeGreaterThanOrEqual(8);
    for (const detail of lookUps) expect(detail).toMatch(/seq=\?|rowid=\?|SUBQUERY/);
  });

  it('releases free pages to the disk in steps', async () => {
    const body = Buffer.alloc(400_000, 'x');
    for (let n = 1; n <= 10; n += 1) await scratch.journal.append(draft(n, { body }), to());
    const { size } = await scratch.journal.prune({
      seqs: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      removeIdentitiesBefore: null,
    });
    expect(size.freeBytes).toBeGreaterThan(2_000_000);
    expect((await scratch.journal.shrink(0)).freeBytes).toBe(size.freeBytes);
    const after = await scratch.journal.shrink(64);
    expect(size.freeBytes - after.freeBytes).toBe(64 * 4_096);
    for (let free = after.freeBytes; free > 0;) free = (await scratch.journal.shrink(512)).freeBytes;
    await scratch.reopen();
    expect(statSync(scratch.file).size).toBeLessThan(2_000_000);
  });
});
