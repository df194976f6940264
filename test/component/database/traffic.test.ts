import { pino } from 'pino';
import { Reader } from '../../../src/relay/database/reader';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { TrafficHistory } from '../../../src/relay/stats/traffic-history';
import { TrafficUpkeep } from '../../../src/relay/stats/traffic-upkeep';
import type { StatsSpan } from '../../../src/contract/stats';
import type { AttemptRecord } from '../../../src/relay/database/journal';
import { draft, result, ScratchJournal, START, to } from './scratch-journal';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Events are counted in passes of so many. */
const PASS = 1_000;

let scratch: ScratchJournal;
let reader: Reader;
let bounds: TimeBounds;

beforeEach(async () => {
  scratch = await ScratchJournal.open();
  reader = new Reader(scratch.file);
  bounds = new TimeBounds(scratch.clock);
});

afterEach(async () => {
  await reader.close();
  await scratch.remove();
});

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

const history = () => {
  const all = [1, 2].map((number) => ({ number, id: `tgt_${number}` }));
  const targets = { all: () => all, byId: (wanted: string) => all.find(({ id }) => id === wanted) };
  return new TrafficHistory(
    reader,
    { since: async () => [] } as never,
    targets as never,
    scratch.clock,
    scratch.journal,
  );
};
const series = (span: StatsSpan) => history().series(span);
const total = async (span: StatsSpan = 'hour') => (await series(span)).total;

/** Lets the hub run on from `scratch.now`, looking after its counts as often as it does by itself. */
async function runFor(ms: number): Promise<void> {
  const upkeep = new TrafficUpkeep(scratch.journal, scratch.clock, bounds, pino({ level: 'silent' }));
  await upkeep.tick();
  for (let left = ms; left > 0; left -= 20_000) {
    scratch.now += Math.min(left, 20_000);
    await upkeep.tick();
  }
}

const append = (n: number, targets: number[] = []) =>
  scratch.journal.append(draft(n, { receivedAt: scratch.now }), to(...targets));

const appendMany = (from: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => append(from + i)));

const errorsOf = async (target: number, span: StatsSpan = 'hour') => {
  const { attempts, data } = await history().errorsOf(`tgt_${target}`, span);
  return [attempts, ...data.map(({ error, ...counted }) => [error, counted.attempts, counted.latest_at])];
};

/** How an attempt of `event` at target 1 failed, `after` ms. */
const failure = (event: number, status: number | null, error: AttemptRecord['error'], after = 0) => ({
  ...result(event, 1, { state: 'dead' }),
  attempt: { ...attemptAt(scratch.now + after), durationMs: 0, status, error },
});

/** So many ms after the start. */
const instantAfter = (after: number) => new Date(START + after).toISOString();

const attemptAt = (ended: number) => ({
  number: 1,
  at: ended,
  durationMs: 5,
  status: 204,
  error: null,
  excerpt: null,
});

describe('the counts of what happened', () => {
  it('hold each event once: those that a pass has counted, and those behind it', async () => {
    await appendMany(1, PASS + 37);
    expect(await total()).toEqual({ events: PASS + 37, delivered: 0, failed: 0, died: 0 });
    await appendMany(5_000, PASS);
    expect((await total()).events).toBe(2 * PASS + 37);
    await scratch.reopen();
    expect((await total()).events).toBe(2 * PASS + 37);
  });

  it('hold each attempt once, for its target, in the minute in which it ended', async () => {
    for (let n = 1; n <= 4; n += 1) await append(n, [1, 2]);
    const retrying = { state: 'retrying' as const, dueAt: START + 5_000 };
    await Promise.all([
      scratch.journal.settle(result(1, 1)),
      scratch.journal.settle(result(2, 1, retrying)),
      scratch.journal.settle(result(3, 2, { state: 'dead' })),
      scratch.journal.settle({ ...result(4, 2), attempt: { ...attemptAt(START + MINUTE), number: 1 } }),
    ]);
    scratch.now = START + MINUTE;
    expect((await series('hour')).points.slice(-2)).toEqual([
      { at: new Date(START).toISOString(), events: 4, delivered: 1, failed: 2, died: 1 },
      { at: new Date(START + MINUTE).toISOString(), events: 0, delivered: 1, failed: 0, died: 0 },
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

  it('hold each way in which attempts at a target failed, the most frequent first', async () => {
    for (let n = 1; n <= 6; n += 1) await append(n, [1, 2]);
    await Promise.all([
      scratch.journal.settle(failure(1, 503, 'http_status')),
      scratch.journal.settle(failure(2, null, 'timeout', 10)),
      scratch.journal.settle(failure(3, 503, 'http_status', 20)),
      scratch.journal.settle(result(4, 1)),
      scratch.journal.settle(result(5, 2)),
    ]);
    await scratch.journal.settle(failure(5, 503, 'http_status', MINUTE));
    await scratch.journal.settle(failure(6, 404, 'http_status', 5));
    scratch.now += MINUTE;
    expect(await errorsOf(1)).toEqual([
      6,
      ['503', 3, instantAfter(MINUTE)],
      ['timeout', 1, instantAfter(10)],
      ['404', 1, instantAfter(5)],
    ]);
    expect(await errorsOf(2)).toEqual([1]);
    scratch.now += HOUR - MINUTE;
    expect(await errorsOf(1)).toEqual([1, ['503', 1, instantAfter(MINUTE)]]);
    expect(await errorsOf(1, 'day')).toHaveLength(4);
  });

  it('leave out a result that was refused, and what its group had counted before it was run again', async () => {
    for (let n = 1; n <= 3; n += 1) await append(n, [1]);
    scratch.exec(
      `CREATE TRIGGER poison BEFORE INSERT ON attempts WHEN NEW.event_seq = 2 BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    const settled = [1, 3].map((seq) => scratch.journal.settle(result(seq, 1)));
    const refused = scratch.journal.settle(result(2, 1));
    await Promise.all(settled);
    expect(await total()).toMatchObject({ delivered: 2 });
    expect(await errorsOf(1)).toEqual([2]);
    scratch.exec('DROP TRIGGER poison');
    await refused;
    expect(await total()).toMatchObject({ delivered: 3 });
  });

  it('leave out the attempt of a delivery that was concluded while it was under way', async () => {
    await append(1, [1]);
    await scratch.journal.change(
      [],
      [],
      [{ key: { seq: 1, target: 1, n: 0 }, note: 'Let go.', at: scratch.now }],
    );
    await scratch.journal.settle(result(1, 1));
    expect(await total()).toMatchObject({ delivered: 0, failed: 0 });
  });

  it('stay when the events go, also of those that no pass has counted yet', async () => {
    await appendMany(1, 40);
    scratch.now += MINUTE;
    await append(99);
    await scratch.journal.prune({ seqs: numbers(1, 25), forgetBefore: null });
    expect(await total()).toMatchObject({ events: 41 });
    await scratch.journal.prune({ seqs: numbers(26, 40), forgetBefore: null });
    expect(scratch.count('events')).toBe(1);
    expect(await total()).toMatchObject({ events: 41 });
    await appendMany(100, PASS);
    expect(await total()).toMatchObject({ events: 41 + PASS });
  });

  it('tell a quiet minute from one in which the hub did not run', async () => {
    await runFor(3 * MINUTE);
    scratch.now += 5 * MINUTE;
    await scratch.reopen();
    await runFor(2 * MINUTE);
    const minutes = (await series('hour')).points.map(
      ({ at }) => (Date.parse(at) - Math.floor(START / MINUTE) * MINUTE) / MINUTE,
    );
    expect(minutes).toEqual([0, 1, 2, 3, 8, 9, 10]);
    const { data } = await history().byTarget();
    expect(data[0]!.delivered.slice(-11)).toEqual([0, 0, 0, 0, null, null, null, null, 0, 0, 0]);
  });

  it('become hours after a day, with the same sums, and end after eight weeks', async () => {
    for (let hour = 0; hour < 30; hour += 1) {
      scratch.now = START + hour * HOUR;
      for (let n = 0; n < 3; n += 1) await append(hour * 10 + n, [1]);
      await scratch.journal.settle({ ...result(hour * 3 + 1, 1), attempt: attemptAt(scratch.now) });
      await scratch.journal.settle(failure(hour * 3 + 2, 503, 'http_status'));
    }
    // The events are counted where they are passed by.
    await appendMany(10_000, PASS);
    const before = await total('week');
    expect(before).toEqual({ events: 90 + PASS, delivered: 30, failed: 30, died: 30 });
    const failedBefore = await errorsOf(1, 'week');
    expect(failedBefore).toEqual([60, ['503', 30, new Date(scratch.now).toISOString()]]);
    await runFor(20 * MINUTE);
    expect(await total('week')).toEqual(before);
    expect(await errorsOf(1, 'week')).toEqual(failedBefore);
    expect(scratch.count('error_hours')).toBeGreaterThan(0);
    const [oldest] = scratch.rows<{ minute: number }>('SELECT min(minute) AS minute FROM traffic_minutes');
    expect(scratch.now - oldest!.minute * MINUTE).toBeGreaterThan(DAY);
    expect(scratch.now - oldest!.minute * MINUTE).toBeLessThan(28 * HOUR);
    expect(scratch.count('traffic_hours WHERE target = 0')).toBeGreaterThan(0);
    const { points } = await series('week');
    expect(points.slice(0, 3).map(({ events, delivered }) => [events, delivered])).toEqual([
      [3, 1],
      [3, 1],
      [3, 1],
    ]);

    // A clock that is ahead ends nothing.
    const hours = scratch.count('traffic_hours');
    scratch.jumped = 80 * DAY;
    await runFor(5 * MINUTE);
    expect(scratch.count('traffic_hours')).toBe(hours);
    scratch.jumped = 0;

    scratch.now += 80 * DAY;
    await runFor(5 * HOUR);
    for (const table of ['traffic_hours', 'error_hours'])
      expect(scratch.rows(`SELECT 1 FROM ${table} WHERE hour < ?`, scratch.now / HOUR - 1_400)).toEqual([]);
  });
});
