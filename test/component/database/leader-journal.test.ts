import type { DataSource } from 'typeorm';
import type { Committed } from '../../../src/relay/database/journal/journal';
import { DaemonRecords } from '../../../src/relay/several-daemons/daemon-records';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { HealthService } from '../../../src/relay/diagnostics/health.service';
import { hasSpace } from '../../../src/relay/database/postgres/writer/has-space';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { DeliveryExpiryWorker } from '../../../src/relay/deliveries/delivery-expiry.worker';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { ClockAlertsWorker } from '../../../src/relay/system-events/clock-alerts.worker';
import { clockAt } from '../../support/clock';
import { draft, result, to } from '../../support/daemon/scratch-journal';
import { NOT_LEADING, ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { TestPostgres } from '../../support/postgres';
import { TARGET } from '../../support/queue-tools';
import { until } from '../../support/until';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined } as never;

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

const INSERT_TARGET = `INSERT INTO targets(id, name, url, events, secret, enabled, created_at, updated_at)
  VALUES ('tgt_1', 'one', 'https://one.example', '["*"]', '', 1, 0, 0)`;

/** Sessions of this database, not of others on the server, that wait for a lock. */
const WAITING = `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe('the journal of the leader, next to one that only appends', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;
  let records: DaemonRecords;
  let leader: PostgresJournal;
  let refused: number;
  let published: Committed['events'];

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());

  beforeEach(async () => {
    scratch = await ScratchPostgres.open(postgres);
    records = new DaemonRecords(openPool(scratch.url, 1));
    await records.renew({ id: 'one', version: '1', delivers: true });
    expect(await records.takeOver({ id: 'one' })).toBe(true);
    const { epoch } = await records.leader();
    refused = 0;
    published = [];
    const shared = { ...NOT_LEADING, epoch, onNotLeader: () => (refused += 1) };
    leader = await PostgresJournal.open(
      scratch.url,
      scratch.clock,
      new TimeBounds(scratch.clock),
      SILENT,
      shared,
    );
    leader.onCommit(({ events }) => published.push(...events));
  });
  afterEach(async () => {
    await leader.close();
    await records.close();
    await scratch.remove();
  });

  /** Another daemon leads from now on. */
  const replace = async () => {
    await records.leave({ id: 'one' });
    await records.renew({ id: 'two', version: '1', delivers: true });
    expect(await records.takeOver({ id: 'two' })).toBe(true);
  };
  const seqs = () => published.map(({ seq }) => seq);

  it('is healthy once another one leads, since it still stores events', async () => {
    await replace();
    expect(await new HealthService(leader, scratch.clock).run()).toEqual([{ name: 'database', ok: true }]);
  });

  it('finds space on the disk of the server only if a new table may grow', async () => {
    const pool = openPool(scratch.url, 1);
    expect(await hasSpace(pool)).toBe(true);
    await pool.query(
      `CREATE FUNCTION fail() RETURNS event_trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
       CREATE EVENT TRIGGER disk_full ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS')
         EXECUTE FUNCTION fail()`,
    );
    expect(await leader.change({ statements: [['UPDATE instance SET tag = tag', []]] })).toBeTruthy();
    expect(await hasSpace(pool)).toBe(false);
    await pool.end();
  });

  it('stores nothing of what it writes as the leader once another one leads, but still stores events', async () => {
    await leader.append(draft(1), () => [{ target: 1, lane: null }]);
    await replace();
    await expect(leader.change({ statements: [['DELETE FROM deliveries', []]] })).rejects.toMatchObject({
      code: 'not_leader',
      status: 503,
    });
    await expect(leader.prune({ seqs: [1], removeIdentitiesBefore: null })).rejects.toMatchObject({
      code: 'not_leader',
    });
    expect(await leader.append(draft(2), () => [])).toMatchObject({ status: 'accepted', seq: 2 });
    expect(refused).toBeGreaterThan(0);
    expect(await scratch.rows('SELECT event_seq AS seq FROM deliveries')).toEqual([{ seq: 1 }]);
  });

  it('stores what it writes as the owner of a target, whoever leads', async () => {
    await leader.append(draft(1), () => [{ target: 1, lane: null }]);
    await replace();
    // In one group.
    const deleting = leader.change({ statements: [['DELETE FROM deliveries', []]] });
    await Promise.all([
      expect(deleting).rejects.toMatchObject({ code: 'not_leader' }),
      leader.saveResult(result(1, 1)),
      leader.change({ statements: [['UPDATE instance SET indexed_through = 7', []]], asOwnerOf: 1 }),
    ]);
    expect(await scratch.rows('SELECT state, attempts FROM deliveries')).toEqual([
      { state: 'succeeded', attempts: 1 },
    ]);
    expect(await scratch.rows('SELECT 1 FROM instance WHERE indexed_through = 7')).toHaveLength(1);
  });

  it('lets the next leader know of the results that it stores after it was replaced', async () => {
    await leader.append(draft(1), () => [{ target: 1, lane: null }]);
    await replace();
    const { epoch } = await records.leader();
    const shared = { ...NOT_LEADING, daemon: 'two', epoch, epochOf: () => null };
    const bounds = new TimeBounds(scratch.clock);
    const next = await PostgresJournal.open(scratch.url, scratch.clock, bounds, SILENT, shared);
    const results: Committed['results'] = [];
    next.onCommit((committed) => results.push(...committed.results));
    try {
      expect((await next.countQueued()).targets).toEqual([{ target: 1, queued: 1 }]);
      next.start();
      await leader.saveResult(result(1, 1));
      await until('it is published', () => results.length > 0);
      expect(results).toMatchObject([{ key: { seq: 1, target: 1, n: 0 }, state: 'succeeded' }]);
    } finally {
      await next.close();
    }
  });

  it('lets other daemons know what it ends, also at a target of its own, which may be taken before the commit', async () => {
    await leader.append(draft(1), () => [{ target: 1, lane: null }]);
    (scratch.journal as PostgresJournal).start();
    const key = { seq: 1, target: 1, n: 0 };
    await leader.change({ end: [{ key, note: 'Cancelled.', at: 0 }] });
    await until('it is published', () => scratch.groups.some(({ ended }) => ended.length > 0));
    expect(scratch.groups.flatMap(({ ended }) => ended)).toMatchObject([{ key, previousState: 'pending' }]);
  });

  it('holds its epoch until it has committed, so that nobody takes over in between', async () => {
    const open = openPool(scratch.url, 1);
    const client = await open.connect();
    // The change waits for this lock while its transaction is open.
    await client.query('BEGIN');
    await client.query('LOCK TABLE dead_letter_counts');
    const changing = leader.change({ statements: [['INSERT INTO dead_letter_counts VALUES (7, 1)', []]] });
    await until('the change waits', async () => {
      const [row] = await scratch.rows<{ count: number }>(WAITING);
      return row!.count > 0;
    });
    let isReplaced = false;
    const replacing = replace().then(() => (isReplaced = true));
    await until('the other daemon waits too', async () => {
      const [row] = await scratch.rows<{ count: number }>(WAITING);
      return row!.count > 1;
    });
    expect(isReplaced).toBe(false);
    await client.query('COMMIT');
    client.release();
    await Promise.all([changing, replacing]);
    await open.end();
  });

  it('publishes the events of both in the order of seq, with their deliveries', async () => {
    await scratch.journal.append(draft(1), () => [{ target: 3, lane: 'a' }]);
    leader.start();
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? leader : scratch.journal).append(draft(n + 2), () => [{ target: 3, lane: null }]),
      ),
    );
    leader.receive({ kind: 'events', targets: [] });
    await until('all are published', () => published.length >= 41);
    expect(seqs()).toEqual(Array.from({ length: 41 }, (_, n) => n + 1));
    expect(published[0]).toMatchObject({
      draft: { type: draft(1).type },
      planned: [{ target: 3, lane: 'a' }],
    });
  });

  it('publishes them without a notice, a little later', async () => {
    leader.start();
    await leader.append(draft(1), () => []);
    await until('its own is published', () => published.length === 1);
    await scratch.journal.append(draft(2), () => []);
    await until('the other one is published', () => published.length === 2);
  });

  describe.each([
    ['of another daemon was a year behind', { leaderBehindMs: 0, isLed: true }],
    ['of another daemon was a year behind, and none led', { leaderBehindMs: 0, isLed: false }],
    ['of the leader was a year behind', { leaderBehindMs: YEAR_MS, isLed: true }],
  ])('an event that was stored while the clock %s', (_, { leaderBehindMs, isLed }) => {
    let source: DataSource;
    afterEach(() => source.destroy());

    it('is ended by the owner of its target once it is as old as its lifetime, and not before', async () => {
      const { clock, reader, journal } = scratch;
      source = await scratch.openSource([]);
      const leaderClock = clockAt(() => clock.time - leaderBehindMs);
      const worker = new ClockAlertsWorker(
        new TimeBounds(leaderClock),
        leaderClock,
        leader,
        source,
        { isShared: true } as never,
        { raise: () => undefined } as never,
        SILENT,
      );
      if (isLed) await worker.onModuleInit();
      const owner = new DeliveryExpiryWorker(
        { onChange: () => undefined, all: () => [TARGET] } as never,
        { drop: () => true } as never,
        reader,
        journal,
        clock,
        new TimeBounds(clock),
        { leads: false } as never,
        { delivers: () => true },
        SILENT,
      );
      const stateAfterTick = async () => {
        await owner.tick();
        return scratch.rows('SELECT state, last_error AS error FROM deliveries');
      };
      await stateAfterTick();
      await journal.append(draft(1, { receivedAt: clock.now() - YEAR_MS }), to(1));
      // The leader knows nothing of it.
      expect(await stateAfterTick()).toEqual([{ state: 'pending', error: null }]);
      if (isLed) {
        leader.start();
        await until('it is published', () => published.length > 0);
        clock.time += 5_000;
        await worker.tick();
      } else await worker.onModuleInit();
      expect(await stateAfterTick()).toEqual([{ state: 'pending', error: null }]);

      clock.time += 4 * DAY_MS;
      await worker.tick();
      expect(await stateAfterTick()).toEqual([{ state: 'pending', error: null }]);
      clock.time += DAY_MS;
      await worker.tick();
      expect(await stateAfterTick()).toEqual([{ state: 'dead', error: 'expired' }]);
    });
  });

  it('plans an event again whose targets another daemon has changed since', async () => {
    let targets: number[] = [];
    let reloads = 0;
    scratch.journal.setPlanReloader(async () => {
      reloads += 1;
      targets = (await scratch.rows<{ number: number }>('SELECT number FROM targets')).map(
        ({ number }) => number,
      );
    });
    const append = (n: number) =>
      scratch.journal.append(draft(n), () => targets.map((target) => ({ target, lane: null })));
    await append(1);
    await leader.change({ statements: [[INSERT_TARGET, []]] });
    await append(2);
    await leader.change({ statements: [['UPDATE targets SET breaker = ?', ['{}']]] });
    await append(3);
    await leader.change({ statements: [['DELETE FROM targets', []]] });
    await append(4);
    expect(await scratch.rows('SELECT event_seq AS seq FROM deliveries ORDER BY event_seq')).toEqual([
      { seq: 2 },
      { seq: 3 },
    ]);
    // A circuit breaker is no part of the plan.
    expect(reloads).toBe(2);
  });
});
