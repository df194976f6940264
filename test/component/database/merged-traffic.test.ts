import { onEachEngine } from '../../support/daemon/on-each-engine';
import { START, result, draft, to } from '../../support/daemon/scratch-journal';
import { TestPostgres, runSql } from '../../support/postgres';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { ScratchPostgres, NOT_LEADING } from '../../support/daemon/scratch-postgres';
import { pino } from 'pino';
import { Client } from 'pg';
import { until } from '../../support/until';
import {
  HOUR,
  MINUTE,
  PASS,
  append,
  appendMany,
  attemptAt,
  bounds,
  countIn,
  errorsOf,
  failure,
  runFor,
  scratch,
  series,
  total,
  useScratch,
} from './counted-traffic';

const DAY = 24 * HOUR;

onEachEngine('traffic counts', (open) => {
  useScratch(open);

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
    countIn(opened);
    url = opened.url;
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
