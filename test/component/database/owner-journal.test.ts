import type { Pool } from 'pg';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { DaemonRecords } from '../../../src/relay/several-daemons/daemon-records';
import { Notices, type Notice } from '../../../src/relay/database/postgres/notices';
import { TargetOwnerRecords } from '../../../src/relay/several-daemons/ownership/target-owner-records';
import { FIND_DUE } from '../../../src/relay/database/postgres/queue-reads';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { systemRandom } from '../../../src/relay/ground/random';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { ENTITIES } from '../../../src/relay/relay.module';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import { draft, result, START, to } from '../../support/daemon/scratch-journal';
import { NOT_LEADING, ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const SILENT = { warn: () => undefined, error: () => undefined } as never;

describe('the journal of a daemon that owns targets', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    scratch = await ScratchPostgres.open(postgres);
    await scratch.journal.append(draft(1), to(1));
  });
  afterEach(() => scratch.remove());

  const stateOf = async () =>
    (await scratch.rows<{ state: string }>('SELECT state FROM deliveries'))[0]!.state;

  it('stores results in the epoch in which it owns their target, and none after', async () => {
    await scratch.exec('UPDATE target_owners SET epoch = 2 WHERE target = 1');
    await scratch.journal.saveResult(result(1, 1));
    expect(await stateOf()).toBe('pending');
    expect(await scratch.count('attempts')).toBe(0);
    await scratch.exec('UPDATE target_owners SET epoch = 1 WHERE target = 1');
    await scratch.journal.saveResult(result(1, 1));
    expect(await stateOf()).toBe('succeeded');
  });

  it('stores none once another daemon owns their target', async () => {
    await scratch.exec(`UPDATE target_owners SET daemon = 'another' WHERE target = 1`);
    await scratch.journal.saveResult(result(1, 1));
    expect(await stateOf()).toBe('pending');
  });

  it('finds the targets that have due deliveries, and no others', async () => {
    const { journal } = scratch;
    await journal.append(draft(2), to(2));
    await journal.saveResult(result(2, 2, { state: 'retrying', dueAt: START + 5_000 }));
    const found = (now: number) =>
      journal.findDue(
        [1, 2, 3].map((target) => ({ target, beyond: START + 10_000 })),
        now,
      );
    expect(await found(START + 4_999)).toEqual([1]);
    expect((await found(START + 5_000)).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  it('finds them by an index, however many deliveries wait for their time', async () => {
    await scratch.exec(
      `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at, class)
       SELECT seq, seq % 20, 0, 'retrying', 'live', 0, ${START} + seq, 1 FROM generate_series(100, 20000) seq`,
    );
    await scratch.exec('ANALYZE deliveries');
    const parameters = [
      [1, 2],
      [2 * START, 2 * START],
      [0, 1],
      [0, START],
    ];
    const plan = await runSql<object>(scratch.url, `EXPLAIN ${FIND_DUE}`, parameters);
    const lines = plan.map((line) => Object.values(line).join());
    expect(lines.filter((line) => line.includes('Scan') && line.includes(' deliveries'))).toEqual([
      expect.stringContaining('using deliveries_due'),
      expect.stringContaining('using deliveries_due'),
    ]);
  });

  it('makes no change for a target that it has lost', async () => {
    const change = () =>
      scratch.journal.change({ statements: [['UPDATE instance SET indexed_through = 7', []]], asOwnerOf: 1 });
    await scratch.exec('UPDATE target_owners SET epoch = 2 WHERE target = 1');
    await expect(change()).rejects.toMatchObject({ code: 'not_leader' });
    expect(await scratch.rows('SELECT 1 FROM instance WHERE indexed_through = 7')).toEqual([]);
    await scratch.exec('UPDATE target_owners SET epoch = 1 WHERE target = 1');
    await change();
    expect(await scratch.rows('SELECT 1 FROM instance WHERE indexed_through = 7')).toHaveLength(1);
  });

  it('passes on what other daemons announce, and everything once notices may have been lost', () => {
    const journal = scratch.journal as PostgresJournal;
    const announced: unknown[] = [];
    journal.onTableChanged('targets', () => announced.push('targets'));
    journal.onEventsFromOtherDaemon((targets) => announced.push(targets));
    journal.receive({ kind: 'events', targets: [7] });
    journal.receive({ kind: 'changed', table: 'targets' });
    journal.receive({ kind: 'changed', table: 'subscriptions' });
    expect(announced).toEqual([[7], 'targets']);
    journal.pollAll();
    expect(announced).toEqual([[7], 'targets', 'targets']);
  });

  it('lets targets change only after what was committed before, though that was not announced', async () => {
    await scratch.exec(`UPDATE leader SET epoch = 1`);
    const journal = scratch.journal as PostgresJournal;
    const { clock } = scratch;
    const shared = { ...NOT_LEADING, daemon: 'leader', epoch: 1, epochOf: () => null };
    const leader = await PostgresJournal.open(scratch.url, clock, new TimeBounds(clock), SILENT, shared);
    const source = await scratch.openSource(ENTITIES);
    // What the leader has changed does not matter here.
    const follower = { apply: () => ({ records: [], changes: [[]] }) } as never;
    const targets = new TargetsService(
      { targets: [] } as never,
      source,
      journal,
      {} as never,
      {} as never,
      clock,
      systemRandom,
      { leads: false, isShared: true, holdsLease: () => false },
      follower,
      {} as never,
      SILENT,
    );
    await targets.onModuleInit();
    const seen: string[] = [];
    journal.onCommit(({ ended }) => seen.push(...ended.map(() => 'cancelled')));
    targets.onChange(() => seen.push('changed'));
    journal.start();
    // Its poll at the start must not find it.
    await journal.catchUp();
    await leader.change({ end: [{ key: { seq: 1, target: 1, n: 0 }, note: 'Not wanted.', at: START }] });
    journal.receive({ kind: 'changed', table: 'targets' });
    await targets.settled();
    expect(seen).toEqual(['cancelled', 'changed']);
    await source.destroy();
    await leader.close();
  });

  it('announces what it has committed, unless no other daemon must know of it', async () => {
    await scratch.journal.append(draft(2), to(1));
    await scratch.exec(`UPDATE leader SET epoch = 1`);
    const announced: (number | null)[] = [];
    for (const [i, epoch] of [null, 1].entries()) {
      const shared = { ...NOT_LEADING, epoch, announce: () => announced.push(epoch) };
      const bounds = new TimeBounds(scratch.clock);
      const journal = await PostgresJournal.open(scratch.url, scratch.clock, bounds, SILENT, shared);
      await journal.saveResult(result(i + 1, 1));
      await journal.close();
    }
    expect(announced).toEqual([null]);
  });

  it('announces its events to the leader, and those for targets of others to their owners', async () => {
    const pool = openPool(scratch.url, 1);
    const notices = new Notices(scratch.url, pool);
    const received: Notice[] = [];
    notices.onNotice((notice) => received.push(notice));
    await notices.open();
    const append = async (n: number, parts: object) => {
      const shared = { ...NOT_LEADING, ...parts };
      const bounds = new TimeBounds(scratch.clock);
      const journal = await PostgresJournal.open(scratch.url, scratch.clock, bounds, SILENT, shared);
      await journal.append(draft(n), to(1));
      await journal.close();
    };
    await append(2, {});
    await append(3, { epoch: 1 });
    await append(4, { epoch: 1, epochOf: () => null });
    await until('both are announced', () => received.length > 1);
    expect(received).toEqual([
      { kind: 'events', targets: [] },
      { kind: 'events', targets: [1] },
    ]);
    await notices.close();
    await pool.end();
  });

  describe('is followed by the leader, which publishes', () => {
    let leader: PostgresJournal;
    let published: number[];

    beforeEach(async () => {
      await scratch.journal.append(draft(2), to(1));
      await scratch.exec(`UPDATE leader SET epoch = 1`);
      const bounds = new TimeBounds(scratch.clock);
      const shared = { ...NOT_LEADING, daemon: 'leader', epoch: 1, epochOf: () => null };
      leader = await PostgresJournal.open(scratch.url, scratch.clock, bounds, SILENT, shared);
      published = [];
      leader.onCommit(({ results }) => published.push(...results.map(({ key }) => key.seq)));
    });
    afterEach(() => leader.close());

    it('what it has not counted, each once', async () => {
      await scratch.journal.saveResult(result(1, 1));
      expect(await leader.countQueued()).toEqual({ targets: [{ target: 1, queued: 1 }], newest: 2 });
      leader.start();
      await scratch.journal.saveResult(result(2, 1));
      await until('it is published', () => published.length > 0);
      expect(published).toEqual([2]);
    });

    it('each once and in the order of its commits, also if the clock of the server was set back', async () => {
      await scratch.journal.append(draft(3), to(1));
      for (const seq of [1, 2]) await scratch.journal.saveResult(result(seq, 1));
      await scratch.exec(`UPDATE commits SET at = at - n * interval '1 s'`);
      leader.start();
      await scratch.journal.saveResult(result(3, 1));
      await until('the last is published', () => published.includes(3));
      expect(published).toEqual([1, 2, 3]);
    });
  });
});

describe('the owners of targets', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;
  let owners: TargetOwnerRecords;
  let records: DaemonRecords;
  let pool: Pool;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    scratch = await ScratchPostgres.open(postgres);
    await scratch.exec('DELETE FROM target_owners');
    pool = openPool(scratch.url, 4);
    records = new DaemonRecords(pool);
    owners = new TargetOwnerRecords(pool);
    for (const id of ['one', 'two']) await records.renew({ id, version: '1', delivers: true });
  });
  afterEach(async () => {
    await pool.end();
    await scratch.remove();
  });

  it('are one each, however many take it at once', async () => {
    const taken = await Promise.all(['one', 'two'].map((id) => owners.take(id, [1, 2, 3])));
    expect(taken.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([0, 3]);
  });

  it('keep a target while their lease runs, and lose it after', async () => {
    expect(await owners.take('one', [1])).toEqual([{ target: 1, epoch: 1 }]);
    expect(await owners.take('two', [1])).toEqual([]);
    await scratch.exec(
      `UPDATE daemons SET alive_until = clock_timestamp() - interval '1 ms' WHERE id = 'one'`,
    );
    expect(await owners.take('two', [1])).toEqual([{ target: 1, epoch: 2 }]);
    expect(await owners.ownedBy('one')).toEqual([]);
  });

  it('give it up at once when they release it, unless they have lost it', async () => {
    await owners.take('one', [1]);
    await owners.release('one', { target: 1, epoch: 1 });
    expect(await owners.take('two', [1])).toEqual([{ target: 1, epoch: 2 }]);
    await owners.release('one', { target: 1, epoch: 1 });
    expect(await owners.ownedBy('two')).toEqual([{ target: 1, epoch: 2 }]);
  });

  it('are chosen among nobody while a daemon of an earlier version leads', async () => {
    expect(await owners.candidates()).toEqual(['one', 'two']);
    await records.takeOver({ id: 'one' });
    await scratch.exec(`UPDATE daemons SET delivers = NULL WHERE id = 'one'`);
    expect(await owners.candidates()).toEqual([]);
  });
});
