import { setTimeout as pause } from 'node:timers/promises';
import type { AppendOutcome, Change, Journal } from '../../../src/relay/database/journal/journal';
import { openPool, QUERY_TIMEOUT_MS } from '../../../src/relay/database/postgres/connect';
import { PostgresJournal } from '../../../src/relay/database/postgres/postgres-journal';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { draft, result, START } from '../../support/daemon/scratch-journal';
import { NOT_LEADING, ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { NetworkLink } from '../../support/fakes/network-link';
import { TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const LANES = ['a', 'b', 'c'];
const SILENT = { warn: () => undefined, error: () => undefined } as never;

const seqsOf = (outcomes: readonly AppendOutcome[]) =>
  outcomes.map((outcome) => (outcome.status === 'accepted' ? outcome.seq : 0)).toSorted((a, b) => a - b);

async function appendFrom(journal: Journal, first: number): Promise<void> {
  for (let n = first; n < first + 60; n += 1) await journal.append(draft(n), () => []);
}

const appendThousand = (journal: Journal) =>
  Promise.all(Array.from({ length: 1_000 }, (_, n) => journal.append(draft(n), () => [])));

describe('several journals on one database', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;
  let journals: Journal[];

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    scratch = await ScratchPostgres.open(postgres);
    const bounds = new TimeBounds(scratch.clock);
    const open = () => PostgresJournal.open(scratch.url, scratch.clock, bounds, SILENT, NOT_LEADING);
    journals = [scratch.journal, await open(), await open()];
  });
  afterEach(async () => {
    await Promise.all(journals.slice(1).map((journal) => journal.close()));
    await scratch.remove();
  });

  it('give each event a seq of its own, without gaps', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_, n) => journals[n % 3]!.append(draft(n), () => [])),
    );
    expect(seqsOf(outcomes)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
  });

  it('make events visible in the order of seq, so that a reader that follows it misses none', async () => {
    const appending = new AbortController();
    const follow = async () => {
      const gaps: number[] = [];
      while (!appending.signal.aborted) {
        const [row] = await scratch.rows<{ newest: number; count: number }>(
          'SELECT coalesce(max(seq), 0) AS newest, count(*) AS count FROM events',
        );
        if (row!.newest !== row!.count) gaps.push(row!.newest);
        await pause(1);
      }
      return gaps;
    };
    const following = follow();
    await Promise.all(journals.map((journal, i) => appendFrom(journal, i * 1_000)));
    appending.abort();
    expect(await following).toEqual([]);
  });

  it('accept a notification once, whichever of them it arrives at', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 90 }, (_, n) => journals[n % 3]!.append(draft(Math.floor(n / 3)), () => [])),
    );
    expect(outcomes.filter(({ status }) => status === 'accepted')).toHaveLength(30);
    expect(outcomes.filter(({ status }) => status === 'duplicate')).toHaveLength(60);
  });

  it('leave one head in each lane while events arrive and deliveries finish', async () => {
    let appended = 0;
    const append = async (journal: Journal) => {
      for (let n = 0; n < 40; n += 1) {
        appended += 1;
        await journal.append(draft(appended), () => [{ target: 1, lane: LANES[n % 3]! }]);
      }
    };
    const finished = new Set<number>();
    const deadline = performance.now() + 20_000;
    const finish = async (journal: Journal) => {
      while (finished.size < 80 && performance.now() < deadline) {
        const due = await journal.takeDue(1, 0, START, 10);
        expect(due.map(({ lane }) => lane)).toHaveLength(new Set(due.map(({ lane }) => lane)).size);
        for (const { key, lane } of due.filter((one) => !finished.has(one.key.seq))) {
          finished.add(key.seq);
          await journal.saveResult(result(key.seq, 1, { lane }));
        }
        await pause(1);
      }
    };
    await Promise.all([append(journals[0]!), append(journals[1]!), finish(journals[2]!)]);
    const unfinished = await scratch.rows('SELECT * FROM deliveries WHERE finished_at IS NULL');
    expect(unfinished).toEqual([]);
  });

  it('add two deliveries of one event to one target, though neither has seen the other', async () => {
    await scratch.journal.append(draft(1), () => []);
    const release = await postgres.holdTable(scratch.url, 'deliveries');
    const schedule = [{ seq: 1, target: 1, trigger: 'manual' as const, replayId: null, at: START }];
    const changes = journals.slice(0, 2).map((journal) => journal.change({ schedule }));
    await until('both wait to add theirs', async () => {
      const waiting = await scratch.rows(
        `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'deliveries'::regclass`,
      );
      return waiting.length === 2;
    });
    await release();
    const scheduled = (await Promise.all(changes)).flatMap((change) => change.scheduled);
    expect(new Set(scheduled.map(({ n }) => n))).toEqual(new Set([1, 2]));
  });

  it('leave nothing of an erased event in the index that a pass fills at the same time', async () => {
    const release = await postgres.holdTable(scratch.url, 'traffic_minutes');
    const waiting = async () =>
      scratch.rows(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    await appendThousand(scratch.journal);
    await until('the pass has filled it, and waits to count', async () => (await waiting()).length === 1);
    const erase = { seqs: [1], entity: null, erasure: 1, at: START };
    const erasing = journals[1]!.change({ erase });
    await until(
      'it is erased, or waits for the pass',
      async () => (await waiting()).length === 2 || (await scratch.count('erased_events')) === 1,
    );
    await release();
    await erasing;
    await until('all is indexed', async () => (await scratch.count('event_types')) === 1_000);
    expect(await scratch.rows('SELECT seq FROM event_entities ORDER BY seq LIMIT 1')).toEqual([{ seq: 2 }]);
  });

  it('answer an event whose statements stall before other work is given up, and continue', async () => {
    const link = await NetworkLink.start(scratch.url);
    const bounds = new TimeBounds(scratch.clock);
    const journal = await PostgresJournal.open(link.url, scratch.clock, bounds, SILENT, NOT_LEADING);
    journals.push(journal);
    expect(await journal.append(draft(1), () => [])).toMatchObject({ status: 'accepted' });
    link.stall();
    const outcomes: AppendOutcome[] = [];
    void journal.append(draft(2), () => []).then((outcome) => outcomes.push(outcome));
    await until('it is answered', () => outcomes.length > 0, QUERY_TIMEOUT_MS - 5_000);
    expect(outcomes).toEqual([expect.objectContaining({ status: 'not_stored', reason: 'storage' })]);
    link.resume();
    expect(await journal.append(draft(3), () => [])).toMatchObject({ status: 'accepted', seq: 2 });
    await link.close();
  });

  it('answer an event that has waited before its sender gives up, although later ones may wait longer', async () => {
    const bounds = new TimeBounds(scratch.clock);
    const links = [await NetworkLink.start(scratch.url), await NetworkLink.start(scratch.url)];
    const open = ({ url }: NetworkLink) =>
      PostgresJournal.open(url, scratch.clock, bounds, SILENT, NOT_LEADING);
    const [late, early] = await Promise.all(links.map(open));
    journals.push(late!, early!);
    for (const journal of [late!, early!]) await journal.append(draft(0), () => []);
    for (const link of links) link.stall();
    const answered: string[] = [];
    const append = async (name: string, journal: Journal, waitedMs: number) => {
      let isPlanned = false;
      const plan = () => ((isPlanned = true), []);
      const appended = journal.append(draft(1), plan, scratch.clock.monotonic() - waitedMs);
      void appended.then(({ status }) => answered.push(`${name}: ${status}`));
      await until('it is part of a group', () => isPlanned);
    };
    await append('just arrived', early!, 0);
    await append('has waited', late!, 3_000);
    await until('both are answered', () => answered.length === 2);
    expect(answered).toEqual(['has waited: not_stored', 'just arrived: not_stored']);
    for (const link of links) link.resume();
    await Promise.all([late!.close(), early!.close()]);
    journals.splice(-2);
    await Promise.all(links.map((link) => link.close()));
  });

  it('acknowledge an event while other work waits', async () => {
    const others = openPool(scratch.url, 1);
    const holder = await others.connect();
    await holder.query('BEGIN; SELECT 1 FROM instance FOR UPDATE');
    const statement: Change['statements'][number] = ['UPDATE instance SET id = id', []];
    const changed = journals[0]!.change({ statements: [statement] }).then(() => 'changed');
    const appended = journals[0]!.append(draft(1), () => []);
    expect(await Promise.race([appended, changed])).toMatchObject({ status: 'accepted' });
    await holder.query('ROLLBACK');
    expect(await changed).toBe('changed');
    holder.release();
    await others.end();
  });
});
