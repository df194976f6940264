import { START, result, draft, to } from '../../support/daemon/scratch-journal';
import { statSync } from 'node:fs';
import {
  DAY_MS,
  LIMIT,
  append,
  raised,
  retentionWith,
  runRetention,
  scratch,
  sentences,
  seqs,
  useRetention,
} from './scratch-retention';

useRetention();

/** Stores more events like the first one, without deliveries. */
function storeMore(count: number): void {
  scratch.exec(`INSERT INTO events
    SELECT (SELECT max(seq) FROM events) + n, received_at, occurred_at, type, entity, name, webhook_id, unreadable, content_type,
      headers, signature_header, signature_value, 0, x'00'
    FROM events, (WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ${count}) SELECT n FROM many)
    WHERE seq = (SELECT min(seq) FROM events)`);
}

describe('retention', () => {
  it('by age never removes unfinished events, and without a size limit removes nothing by size', async () => {
    await append(150, (n) => n % 2 === 0);
    scratch.clock.time = START + 60 * DAY_MS;
    expect(await runRetention({})).toMatchObject({ removed: 75, cancelled: 0 });
    expect(seqs().every((seq) => seq % 2 === 0)).toBe(true);
  });

  it('by age removes what is older than the days, to the millisecond, and runs once an hour', async () => {
    await append(3, () => false);
    scratch.clock.time = START + 5 * DAY_MS;
    const retention = retentionWith({ SWITCHBOARD_RETENTION_DAYS: '5' });
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    scratch.clock.time += 3_599_999;
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    scratch.clock.time += 1;
    await retention.tick();
    expect(seqs()).toEqual([3]);
  });

  it('by age retries a removal that failed at the next run, not an hour later', async () => {
    await append(3, () => false);
    scratch.clock.time = START + 60 * DAY_MS;
    scratch.exec(`CREATE TRIGGER failing BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'failing'); END`);
    const retention = retentionWith({});
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    scratch.exec('DROP TRIGGER failing');
    scratch.clock.time += 60_000;
    await retention.tick();
    expect(seqs()).toEqual([3]);
  });

  it('with 0 days keeps everything', async () => {
    await append(3, () => false);
    scratch.clock.time = START + 4_000 * DAY_MS;
    expect(await runRetention({ SWITCHBOARD_RETENTION_DAYS: '0' })).toMatchObject({ removed: 0 });
    expect(seqs()).toEqual([1, 2, 3]);
  });

  it('returns free space to the disk that is not needed again soon', async () => {
    await append(300, () => false);
    await scratch.reopen();
    const before = statSync(scratch.file).size;
    const { usedBytes } = await runRetention({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT) });
    await scratch.reopen();
    expect(before).toBeGreaterThan(3 * LIMIT);
    expect(statSync(scratch.file).size).toBeLessThan(1.2 * usedBytes!);
  });

  it('by age keeps an event with a dead letter until that is too old too, and then raises an alert', async () => {
    await append(
      6,
      (n) => n === 1,
      (n) => n <= 3,
    );
    const retention = retentionWith({ SWITCHBOARD_DEAD_LETTER_DAYS: '60' });
    scratch.clock.time = START + 59 * DAY_MS;
    await retention.tick();
    expect(seqs()).toEqual([1, 2, 3, 6]);
    expect(raised.size).toBe(0);
    scratch.clock.time = START + 61 * DAY_MS;
    await retention.tick();
    expect(seqs()).toEqual([1, 6]);
    expect([...raised]).toEqual([['relay.retention.dead_removed', 2]]);
    expect(retention.record).toMatchObject({ removed: 4, deadLetters: 2, cancelled: 0 });
  });

  it.each([
    ['10', /SWITCHBOARD_RETENTION_DAYS \(30 days\)/],
    ['60', /SWITCHBOARD_DEAD_LETTER_DAYS \(60 days\)/],
  ])('names the limit that removed dead letters, with %s days for them', async (days, limit) => {
    await append(
      2,
      () => false,
      (n) => n === 1,
    );
    scratch.clock.time = START + 61 * DAY_MS;
    await runRetention({ SWITCHBOARD_DEAD_LETTER_DAYS: days });
    expect(sentences).toEqual([expect.stringMatching(limit)]);
  });

  it('by age keeps dead letters forever if their days are 0', async () => {
    await append(
      3,
      () => false,
      (n) => n === 1,
    );
    scratch.clock.time = START + 4_000 * DAY_MS;
    expect(await runRetention({ SWITCHBOARD_DEAD_LETTER_DAYS: '0' })).toMatchObject({ removed: 1 });
    expect(seqs()).toEqual([1, 3]);
  });

  it('checks skipped events once a day, and never on the writer thread', async () => {
    await append(3, () => true);
    storeMore(6_000);
    scratch.exec(`INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", replay_id, attempts, created_at, due_at, finished_at,
        last_status, last_error, lane, class, uncounted, note)
      SELECT seq, target_id, n, state, "trigger", replay_id, attempts, created_at, due_at, finished_at,
        last_status, last_error, lane, class, uncounted, note
      FROM deliveries d JOIN events e ON e.seq > 3 WHERE d.event_seq = 1;
      UPDATE events SET planned = 1`);
    await scratch.reopen();
    let steps = 0;
    let reads = 0;
    const { journal } = scratch;
    const prune = journal.prune.bind(journal);
    journal.prune = (step) => ((steps += 1), prune(step));
    const { reader } = scratch;
    const all = reader.all.bind(reader);
    reader.all = (...parts) => ((reads += 1), all(...parts));
    const readsOf = async (retention: { tick(): Promise<void> }, days: number) => {
      scratch.clock.time = START + days * DAY_MS;
      reads = 0;
      await retention.tick();
      return reads;
    };

    const retention = retentionWith({ SWITCHBOARD_DEAD_LETTER_DAYS: '0' });
    expect(await readsOf(retention, 60)).toBeGreaterThan(4);
    // One of them for the last states of entities.
    expect(await readsOf(retention, 60.5)).toBe(3);
    expect(await readsOf(retention, 61.5)).toBeGreaterThan(4);
    expect(steps).toBe(0);

    // What has finished by then is removed at the next check.
    await scratch.journal.saveResult(result(2, 1));
    await readsOf(retention, 63);
    expect(seqs().slice(0, 3)).toEqual([1, 3, 4]);
  });

  it('by size immediately finds skipped events that have finished', async () => {
    await append(150, () => true);
    const retention = retentionWith({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT * 2) });
    scratch.clock.time = START + 60 * DAY_MS;
    await retention.tick();
    for (let n = 1; n <= 60; n += 1) await scratch.journal.saveResult(result(n, 1));
    await scratch.journal.append(draft(151, { body: Buffer.alloc(1_500_000, 'x') }), to());
    scratch.clock.time += 60_000;
    await retention.tick();
    expect([...raised.keys()]).toEqual(['relay.retention.removed_early']);
    expect(seqs()[0]).toBeGreaterThan(10);
    expect(seqs()).toContain(61);
  });

  it('by age skips what was stored while the clock was ahead, and keeps it until its date has passed', async () => {
    const AHEAD = 3_500;
    const old = Array.from({ length: AHEAD + 100 }, (_, i) => AHEAD + 4 + i);
    for (let n = 1; n <= 3; n += 1) await scratch.journal.append(draft(n), to());
    storeMore(AHEAD + old.length);
    scratch.exec(`UPDATE events SET received_at = received_at + ${100 * DAY_MS} WHERE seq > 3 AND seq <= ${AHEAD + 3};
      UPDATE events SET received_at = received_at + ${35 * DAY_MS} WHERE seq > ${old.at(-5)!}`);
    await scratch.reopen();
    scratch.clock.time = START + 40 * DAY_MS;
    const retention = retentionWith({});
    await retention.tick();
    expect(seqs().length).toBe(AHEAD + 4);
    expect(seqs()[0]).toBe(4);
    expect(seqs().slice(-4)).toEqual(old.slice(-4));
    scratch.clock.time = START + 131 * DAY_MS;
    await retention.tick();
    expect(seqs()).toEqual(old.slice(-1));
  });
});
