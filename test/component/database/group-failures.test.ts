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

const POISONED = ['INSERT', 'events', `NEW.entity = 'deal:666'`] as const;

onEachEngine('a journal group with a failure', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
  });

  afterEach(() => scratch.remove());

  it('stores the valid rows and nothing of the ones that fail', async () => {
    await scratch.reject(...POISONED);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        scratch.journal.append(n % 3 === 1 ? { ...draft(n), entity: 'deal:666' } : draft(n), to(1)),
      ),
    );
    expect(scratch.groups).toHaveLength(1);
    const poisoned = outcomes.filter((_, n) => n % 3 === 1);
    expect(poisoned).toHaveLength(10);
    for (const outcome of poisoned) {
      expect(outcome).toEqual({
        status: 'not_stored',
        reason: 'storage',
        cause: expect.stringMatching(/^(SQLITE_CONSTRAINT|23514)/),
      });
    }
    const good = outcomes.filter((_, n) => n % 3 !== 1);
    expect(good.map((outcome) => ('seq' in outcome ? outcome.seq : null))).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    expect(scratch.groups[0]!.events).toHaveLength(20);
    for (const table of ['events', IDENTITIES, 'deliveries']) expect(await scratch.count(table)).toBe(20);
    expect(await scratch.rows(`SELECT seq FROM events WHERE entity = 'deal:666'`)).toEqual([]);
  });

  it('stores an event that failed when it is sent again after the cause is fixed', async () => {
    await scratch.reject(...POISONED);
    const poisoned = { ...draft(1), entity: 'deal:666' };
    expect(await scratch.journal.append(poisoned, to(1))).toMatchObject({ status: 'not_stored' });
    await scratch.accept('events');
    expect(await scratch.journal.append(poisoned, to(1))).toMatchObject({ status: 'accepted', seq: 1 });
    expect([await scratch.count('events'), await scratch.count('deliveries')]).toEqual([1, 1]);
  });

  it('rejects an event if one of its deliveries cannot be written', async () => {
    await scratch.reject('INSERT', 'deliveries', 'NEW.target_id = 6');
    const outcomes = await Promise.all([
      scratch.journal.append(draft(1), to(1, 6)),
      scratch.journal.append(draft(2), to(1)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['not_stored', 'accepted']);
    expect(await scratch.rows('SELECT entity FROM events')).toEqual([{ entity: 'deal:2' }]);
    expect([await scratch.count(IDENTITIES), await scratch.count('deliveries')]).toEqual([1, 1]);
  });

  it('does not treat a repetition of an event that failed as a duplicate', async () => {
    await scratch.reject(...POISONED);
    const outcomes = await Promise.all([
      scratch.journal.append({ ...draft(1), entity: 'deal:666' }, to()),
      scratch.journal.append(draft(1), to()),
    ]);
    expect(scratch.groups).toHaveLength(1);
    expect(outcomes).toEqual([
      expect.objectContaining({ status: 'not_stored' }),
      expect.objectContaining({ status: 'accepted', seq: 1 }),
    ]);
  });

  it('stores events and other changes when one change fails, and nothing of that change', async () => {
    await scratch.journal.append(draft(0), to());
    const insertion = 'INSERT INTO login_links(token_hash, expires_at) VALUES (?, ?)';
    const [event, good, bad] = await Promise.allSettled([
      scratch.journal.append(draft(1), to(1)),
      scratch.journal.change({ statements: [[insertion, ['good', 1]]] }),
      scratch.journal.change({
        statements: [
          [insertion, ['of the failing change', 1]],
          [insertion, ['good', 2]],
        ],
        schedule: [{ seq: 1, target: 9, trigger: 'manual', replayId: null, at: START }],
      }),
    ]);
    expect(scratch.groups).toHaveLength(1 + scratch.groupsOfMixedWork);
    expect(event).toMatchObject({ status: 'fulfilled', value: { status: 'accepted' } });
    expect(good.status).toBe('fulfilled');
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'conflict', status: 409 } });
    expect(await scratch.rows('SELECT token_hash FROM login_links')).toEqual([{ token_hash: 'good' }]);
    expect(await scratch.rows('SELECT target_id FROM deliveries')).toEqual([{ target_id: 1 }]);
    expect(scratch.groups.flatMap(({ scheduled }) => scheduled)).toEqual([]);
  });

  it('rolls back a change whose delivery cannot be scheduled', async () => {
    await scratch.journal.append(draft(1), to());
    await scratch.reject('INSERT', 'deliveries', 'NEW.target_id = 6');
    const schedule = [5, 6].map(
      (target) => ({ seq: 1, target, trigger: 'manual', replayId: null, at: START }) as const,
    );
    await expect(
      scratch.journal.change({
        statements: [['INSERT INTO login_links(token_hash, expires_at) VALUES (?, ?)', ['a', 1]]],
        schedule,
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect([await scratch.count('login_links'), await scratch.count('deliveries')]).toEqual([0, 0]);
  });

  it('keeps a result that cannot be written, and writes it later', async () => {
    await scratch.journal.append(draft(1), to(1));
    await scratch.reject('INSERT', 'attempts', 'true');
    const saved = scratch.journal.saveResult(result(1, 1));
    const neighbour = await scratch.journal.append(draft(2), to());
    expect(neighbour).toMatchObject({ status: 'accepted' });
    expect(await scratch.rows('SELECT state FROM deliveries')).toEqual([{ state: 'pending' }]);
    await scratch.accept('attempts');
    await saved;
    expect(await scratch.rows('SELECT state FROM deliveries')).toEqual([{ state: 'succeeded' }]);
    expect(await scratch.count('attempts')).toBe(1);
  });

  it('resolves even if a commit listener fails, calls the other listeners, and logs the error', async () => {
    let calls = 0;
    scratch.journal.onCommit(() => {
      throw new Error('a faulty listener');
    });
    scratch.journal.onCommit(() => (calls += 1));
    const [event, change] = await Promise.all([
      scratch.journal.append(draft(1), to(1)),
      scratch.journal.change({
        statements: [['INSERT INTO login_links(token_hash, expires_at) VALUES (?, ?)', ['stored', 1]]],
      }),
    ]);
    await scratch.journal.saveResult(result(1, 1));
    expect(event).toMatchObject({ status: 'accepted', seq: 1 });
    expect(change.rows).toEqual([[]]);
    expect(calls).toBe(1 + scratch.groupsOfMixedWork);
    expect(await scratch.rows('SELECT state FROM deliveries')).toEqual([{ state: 'succeeded' }]);
    expect(scratch.logged.filter((line) => line.includes('a faulty listener'))).toHaveLength(
      1 + scratch.groupsOfMixedWork,
    );
  });
});

describe('a journal group that SQLite rolls back', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
  });

  afterEach(() => scratch.remove());

  it('does not treat an event of a group that was rolled back as a duplicate of a later one', async () => {
    scratch.exec(`CREATE TRIGGER poison BEFORE INSERT ON deliveries WHEN NEW.target_id = 6
      BEGIN SELECT RAISE(ROLLBACK, 'poison'); END`);
    const outcomes = await Promise.all([
      scratch.journal.append(draft(1), to()),
      scratch.journal.append(draft(2), to(6)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['not_stored', 'not_stored']);
    expect(await scratch.journal.append(draft(3), to())).toMatchObject({ status: 'accepted', seq: 1 });
    expect(await scratch.journal.append(draft(1), to())).toMatchObject({ status: 'accepted', seq: 2 });
  });
});
