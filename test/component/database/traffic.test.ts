import { START, result } from '../../support/daemon/scratch-journal';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import {
  HOUR,
  MINUTE,
  PASS,
  append,
  appendMany,
  attemptAt,
  errorsOf,
  failure,
  history,
  latestAttempts,
  runFor,
  scratch,
  series,
  total,
  useScratch,
} from './counted-traffic';

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** `after` ms after the start. */
const instantAfter = (after: number) => new Date(START + after).toISOString();

const known = async () => {
  const source = await scratch.openSource([]);
  const latest = latestAttempts(source);
  await latest.onModuleInit();
  await source.destroy();
  return [1, 2, 3].map((target) => latest.of(target));
};

onEachEngine('traffic counts', (open) => {
  useScratch(open);

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

  it('tell a later start which targets have recovered from failures, or from a response 410', async () => {
    for (let n = 1; n <= 7; n += 1) await append(n, [1, 2]);
    for (const n of [1, 2, 3, 4, 5])
      await scratch.journal.saveResult(failure(n, 500, 'http_status', n * MINUTE));
    await scratch.journal.saveResult({ ...result(6, 1), attempt: attemptAt(START + 6 * MINUTE) });
    await scratch.journal.saveResult({ ...result(1, 2), attempt: attemptAt(START) });
    // In the minute of a success, as of a target that had worked until then.
    await scratch.journal.saveResult({ ...failure(2, 410, 'http_status', 1_000), key: result(2, 2).key });
    scratch.clock.time += 8 * MINUTE;
    expect((await known()).map(({ recoveredAt }) => recoveredAt)).toEqual([START + 6 * MINUTE, null, null]);
    await scratch.journal.saveResult({ ...result(3, 2), attempt: attemptAt(START + 7 * MINUTE) });
    await scratch.journal.saveResult(failure(7, 500, 'http_status', 7 * MINUTE));
    expect((await known()).map(({ recoveredAt }) => recoveredAt)).toEqual([
      START + 6 * MINUTE,
      START + 7 * MINUTE,
      null,
    ]);
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
});
