import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { LatestAttemptsStore } from '../../../src/relay/deliveries/latest-attempts.store';
import { TrafficHistoryStore } from '../../../src/relay/stats/traffic-history.store';
import { TrafficWorker } from '../../../src/relay/stats/traffic.worker';
import type { StatsPeriod } from '../../../src/contract/stats';
import type { AttemptRecord } from '../../../src/relay/database/journal/journal';
import { Client } from 'pg';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { NOT_LEADING, ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Events are counted in passes of this size. */
const PASS = 1_000;

let scratch: ScratchStore;
let bounds: TimeBounds;

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** As a daemon makes it at its start. */
const latestAttempts = (source = {} as DataSource) => {
  const targets = { onChange: () => {}, byNumber: () => ({}) };
  return new LatestAttemptsStore(source, targets as never, scratch.clock, bounds, scratch.journal);
};

const history = () => {
  const all = [1, 2].map((number) => ({ number, id: `tgt_${number}` }));
  const targets = { all: () => all, byId: (wanted: string) => all.find(({ id }) => id === wanted) };
  return new TrafficHistoryStore(
    scratch.reader,
    { endedAfter: async () => [] } as never,
    targets as never,
    scratch.clock,
    latestAttempts(),
    { dead: () => 0 } as never,
  );
};
const series = (period: StatsPeriod) => history().series({ period });
const total = async (period: StatsPeriod = 'hour') => (await series(period)).total;

/** Runs the daemon's worker from `scratch.clock.time` on, at its usual interval. */
async function runFor(ms: number): Promise<void> {
  const upkeep = new TrafficWorker(scratch.journal, scratch.clock, bounds, pino({ level: 'silent' }));
  await upkeep.tick();
  for (let left = ms; left > 0; left -= 20_000) {
    scratch.clock.time += Math.min(left, 20_000);
    await upkeep.tick();
  }
}

const append = (n: number, targets: number[] = []) =>
  scratch.journal.append(draft(n, { receivedAt: scratch.clock.time }), to(...targets));

const appendMany = (from: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => append(from + i)));

const errorsOf = async (target: number, period: StatsPeriod = 'hour') => {
  const { attempts, data } = await history().errorsOf(`tgt_${target}`, period);
  return [attempts, ...data.map(({ error, ...counted }) => [error, counted.attempts, counted.latest_at])];
};

/** A failed attempt to deliver `event` to target 1, `after` ms from now. */
const failure = (event: number, status: number | null, error: AttemptRecord['error'], after = 0) => ({
  ...result(event, 1, { state: 'dead' }),
  attempt: { ...attemptAt(scratch.clock.time + after), durationMs: 0, status, error },
});

/** `after` ms after the start. */
const instantAfter = (after: number) => new Date(START + after).toISOString();

const attemptAt = (ended: number) => ({
  number: 1,
  at: ended,
  durationMs: 5,
  status: 204,
  error: null,
  excerpt: null,
});

onEachEngine('traffic counts', (open) => {
  beforeEach(async () => {
    scratch = await open();
    bounds = new TimeBounds(scratch.clock);
  });

  afterEach(() => scratch.remove());

  it('include each event once, whether or not a pass has counted it', async () => {
    await appendMany(1, PASS + 37);
    expect(await total()).toEqual({ events: PASS + 37, delivered: 0, failed: 0, dead: 0 });
    await appendMany(5_000, PASS);
    expect((await total()).events).toBe(2 * PASS + 37);
    await scratch.reopen();
    expect((await total()).events).toBe(2 * PASS + 37);
  });

  it('tell a later start which of the latest attempts failed, since when, and how, also once they are hours', async () => {
    for (let n = 1; n <= 4; n += 1) await append(n, [1, 2]);
    await scratch.journal.saveResult({ ...result(1, 1), attempt: attemptAt(START) });
    for (const n of [2, 3]) await scratch.journal.saveResult(failure(n, 401, 'http_status', n * MINUTE));
    await scratch.journal.saveResult(failure(4, null, 'timeout', 4 * MINUTE));
    await scratch.journal.saveResult({ ...result(1, 2), attempt: attemptAt(START) });
    const known = async () => {
      const source = await scratch.openSource([]);
      const latest = latestAttempts(source);
      await latest.onModuleInit();
      await source.destroy();
      return [1, 2, 3].map((target) => latest.of(target));
    };
    scratch.clock.time += 5 * MINUTE;
    expect((await known()).slice(0, 2)).toEqual([
      {
        failed: [false, true, true, true],
        failuresInRow: 3,
        failingSince: START + 2 * MINUTE,
        failingFrom: scratch.clock.monotonic() - 3 * MINUTE,
        lastFailure: { at: START + 4 * MINUTE, status: null, error: 'timeout', excerpt: null },
        lastSuccessAt: START,
        recoveredAt: null,
      },
      expect.objectContaining({
        failed: [false],
        failuresInRow: 0,
        failingSince: null,
        lastSuccessAt: START,
      }),
    ]);
    const hour = Math.floor(START / HOUR) - 48;
    await scratch.exec(`INSERT INTO traffic_hours(hour, target, events, delivered, failed, dead)
      VALUES (${hour - 1}, 3, 0, 1, 1, 0), (${hour}, 3, 0, 0, 2, 0)`);
    await scratch.exec(`INSERT INTO error_hours(hour, target, error, attempts, latest_at)
      VALUES (${hour}, 3, '404', 2, ${hour * HOUR + MINUTE})`);
    expect((await known())[2]).toMatchObject({
      failuresInRow: 2,
      failingSince: hour * HOUR,
      lastFailure: { at: hour * HOUR + MINUTE, status: 404, error: 'http_status' },
      lastSuccessAt: (hour - 1) * HOUR,
    });
  });

  it('include each attempt once, for its target, in the minute in which it ended', async () => {
    for (let n = 1; n <= 4; n += 1) await append(n, [1, 2]);
    const retrying = { state: 'retrying' as const, dueAt: START + 5_000 };
    await Promise.all([
      scratch.journal.saveResult(result(1, 1)),
      scratch.journal.saveResult(result(2, 1, retrying)),
      scratch.journal.saveResult(result(3, 2, { state: 'dead' })),
      scratch.journal.saveResult({ ...result(4, 2), attempt: { ...attemptAt(START + MINUTE), number: 1 } }),
    ]);
    scratch.clock.time = START + MINUTE;
    expect((await series('hour')).points.slice(-2)).toEqual([
      { at: new Date(START).toISOString(), events: 4, delivered: 1, failed: 2, dead: 1 },
      { at: new Date(START + MINUTE).toISOString(), events: 0, delivered: 1, failed: 0, dead: 0 },
    ]);
    const { data, since } = await history().byTarget();
    expect(since).toBe(new Date(START + 2 * MINUTE - HOUR).toISOString());
    expect(data.map(({ delivered, failed }) => [delivered.slice(-2), failed.slice(-2)])).toEqual([
      [
        [1, 0],
        [1, 0],
      ],
      [
        [0, 1],
        [1, 0],
      ],
    ]);
  });

  it('include the errors of attempts per target, the most frequent first', async () => {
    for (let n = 1; n <= 6; n += 1) await append(n, [1, 2]);
    await Promise.all([
      scratch.journal.saveResult(failure(1, 503, 'http_status')),
      scratch.journal.saveResult(failure(2, null, 'timeout', 10)),
      scratch.journal.saveResult(failure(3, 503, 'http_status', 20)),
      scratch.journal.saveResult(result(4, 1)),
      scratch.journal.saveResult(result(5, 2)),
    ]);
    await scratch.journal.saveResult(failure(5, 503, 'http_status', MINUTE));
    await scratch.journal.saveResult(failure(6, 404, 'http_status', 5));
    scratch.clock.time += MINUTE;
    expect(await errorsOf(1)).toEqual([
      6,
      ['503', 3, instantAfter(MINUTE)],
      ['timeout', 1, instantAfter(10)],
      ['404', 1, instantAfter(5)],
    ]);
    expect(await errorsOf(2)).toEqual([1]);
    scratch.clock.time += HOUR - MINUTE;
    expect(await errorsOf(1)).toEqual([1, ['503', 1, instantAfter(MINUTE)]]);
    expect(await errorsOf(1, 'day')).toHaveLength(4);
  });

  it('exclude a result that could not be written, and count its group once although it was repeated', async () => {
    for (let n = 1; n <= 3; n += 1) await append(n, [1]);
    await scratch.reject('INSERT', 'attempts', 'NEW.event_seq = 2');
    const saved = [1, 3].map((seq) => scratch.journal.saveResult(result(seq, 1)));
    const failing = scratch.journal.saveResult(result(2, 1));
    await Promise.all(saved);
    expect(await total()).toMatchObject({ delivered: 2 });
    expect(await errorsOf(1)).toEqual([2]);
    await scratch.accept('attempts');
    await failing;
    expect(await total()).toMatchObject({ delivered: 3 });
  });

  it('exclude the attempt of a delivery that was ended during it', async () => {
    await append(1, [1]);
    await scratch.journal.change({
      end: [{ key: { seq: 1, target: 1, n: 0 }, note: 'Let go.', at: scratch.clock.time }],
    });
    await scratch.journal.saveResult(result(1, 1));
    expect(await total()).toMatchObject({ delivered: 0, failed: 0 });
  });

  it('outlive the events, even those that no pass has counted yet', async () => {
    await appendMany(1, 40);
    scratch.clock.time += MINUTE;
    await append(99);
    await scratch.journal.prune({ seqs: numbers(1, 25), removeIdentitiesBefore: null });
    expect(await total()).toMatchObject({ events: 41 });
    await scratch.journal.prune({ seqs: numbers(26, 40), removeIdentitiesBefore: null });
    expect(await scratch.count('events')).toBe(1);
    expect(await total()).toMatchObject({ events: 41 });
    await appendMany(100, PASS);
    expect(await total()).toMatchObject({ events: 41 + PASS });
  });

  it('distinguish a quiet minute from one in which the daemon did not run', async () => {
    await runFor(3 * MINUTE);
    scratch.clock.time += 5 * MINUTE;
    await scratch.reopen();
    await runFor(2 * MINUTE);
    const minutes = (await series('hour')).points.map(
      ({ at }) => (Date.parse(at) - Math.floor(START / MINUTE) * MINUTE) / MINUTE,
    );
    expect(minutes).toEqual([0, 1, 2, 3, 8, 9, 10]);
    const { data } = await history().byTarget();
    expect(data[0]!.delivered.slice(-11)).toEqual([0, 0, 0, 0, null, null, null, null, 0, 0, 0]);
  });

  it('are merged into hours after a day, with the same sums, and removed after eight weeks', async () => {
    for (let hour = 0; hour < 30; hour += 1) {
      scratch.clock.time = START + hour * HOUR;
      for (let n = 0; n < 3; n += 1) await append(hour * 10 + n, [1]);
      await scratch.journal.saveResult({
        ...result(hour * 3 + 1, 1),
        attempt: attemptAt(scratch.clock.time),
      });
      await scratch.journal.saveResult(failure(hour * 3 + 2, 503, 'http_status'));
    }
    // Appending a full pass counts the events before it.
    await appendMany(10_000, PASS);
    const before = await total('week');
    expect(before).toEqual({ events: 90 + PASS, delivered: 30, failed: 30, dead: 30 });
    const failedBefore = await errorsOf(1, 'week');
    expect(failedBefore).toEqual([60, ['503', 30, new Date(scratch.clock.time).toISOString()]]);
    await runFor(20 * MINUTE);
    expect(await total('week')).toEqual(before);
    expect(await errorsOf(1, 'week')).toEqual(failedBefore);
    expect(await scratch.count('error_hours')).toBeGreaterThan(0);
    const [oldest] = await scratch.rows<{ minute: number }>(
      'SELECT min(minute) AS minute FROM traffic_minutes',
    );
    expect(scratch.clock.time - oldest!.minute * MINUTE).toBeGreaterThan(DAY);
    expect(scratch.clock.time - oldest!.minute * MINUTE).toBeLessThan(28 * HOUR);
    expect(await scratch.count('traffic_hours WHERE target = 0')).toBeGreaterThan(0);
    const { points } = await series('week');
    expect(points.slice(0, 3).map(({ events, delivered }) => [events, delivered])).toEqual([
      [3, 1],
      [3, 1],
      [3, 1],
    ]);

    // A clock that is ahead removes nothing.
    const hours = await scratch.count('traffic_hours');
    scratch.clock.jumped = 80 * DAY;
    await runFor(5 * MINUTE);
    expect(await scratch.count('traffic_hours')).toBe(hours);
    scratch.clock.jumped = 0;

    scratch.clock.time += 80 * DAY;
    await runFor(5 * HOUR);
    for (const table of ['traffic_hours', 'error_hours'])
      expect(
        await scratch.rows(`SELECT 1 FROM ${table} WHERE hour < ?`, scratch.clock.time / HOUR - 1_400),
      ).toEqual([]);
  });
});

/** Whether the first pass has counted its events. */
const passed = async () => {
  const [row] = await scratch.rows<{ through: number }>('SELECT indexed_through AS through FROM instance');
  return row!.through >= PASS;
};

describe('traffic counts that are merged into hours, on PostgreSQL,', () => {
  let postgres: TestPostgres;
  let url: string;
  let other: PostgresJournal;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    const opened = await ScratchPostgres.open(postgres);
    scratch = opened;
    url = opened.url;
    bounds = new TimeBounds(scratch.clock);
    other = await PostgresJournal.open(url, scratch.clock, bounds, pino({ level: 'silent' }), NOT_LEADING);
  });
  afterAll(async () => {
    await other.close();
    await scratch.remove();
    await postgres.stop();
  });

  const sessions = (condition: string) =>
    runSql(url, `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`);
  it('include what another daemon counts meanwhile', async () => {
    await append(1, [1]);
    await scratch.journal.saveResult({ ...result(1, 1), attempt: attemptAt(START) });
    scratch.clock.time += 30 * HOUR;
    // Between the sum of the old minutes and their removal.
    await runSql(
      url,
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NULL; END $$;
       CREATE TRIGGER wait AFTER INSERT ON traffic_hours FOR EACH STATEMENT EXECUTE FUNCTION wait()`,
    );
    const holder = new Client(url);
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(77)');
    const merged = runFor(0);
    await until('minutes are merged', async () => (await sessions(`wait_event = 'advisory'`)).length > 0);
    for (let n = 2; n <= PASS; n += 1)
      void other.append(draft(n, { receivedAt: scratch.clock.time - MINUTE }), to());
    await until(
      'a pass waits, or has counted the old event',
      async () =>
        (await passed()) ||
        (await sessions(`wait_event_type = 'Lock' AND query LIKE '%indexed_through%FOR UPDATE'`)).length > 0,
    );
    await holder.end();
    await merged;
    await until('the pass is done', passed);
    expect(await total('week')).toMatchObject({ events: PASS, delivered: 1 });
  });
});
