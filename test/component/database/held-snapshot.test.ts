import { Client } from 'pg';
import { draft, START, to } from '../../support/daemon/scratch-journal';
import { ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { TestPostgres } from '../../support/postgres';

const MINUTE_MS = 60_000;
const FINISHED = 5_000;

describe('while somebody holds a snapshot of the database', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;
  let report: Client;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    scratch = await ScratchPostgres.open(postgres);
    await scratch.journal.append(draft(1), to());
    report = new Client({ connectionString: scratch.url });
    await report.connect();
  });
  afterEach(async () => {
    await report.end();
    await scratch.remove();
  });

  const poll = () => scratch.journal.findDue([{ target: 1, beyond: 2 * START }], scratch.clock.now());
  const read = async () => (await scratch.journal.takeDue(1, 0, Infinity, 64)).map(({ key }) => key.n);
  const add = (first: number, last: number, dueAt: number) =>
    scratch.exec(
      `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at, class)
       SELECT 1, 1, n, 'pending', 'live', 0, ${dueAt}, 0 FROM generate_series(${first}, ${last}) n`,
    );
  const finishAll = () =>
    scratch.exec(`UPDATE deliveries SET state = 'succeeded', due_at = NULL, finished_at = ${START}`);

  /** From the index of due deliveries; connections report what they have read when they are closed. */
  const entriesRead = async () => {
    await scratch.reopen();
    const [row] = await scratch.rows<{ entries: number }>(
      `SELECT idx_tup_read AS entries FROM pg_stat_user_indexes WHERE indexrelname = 'deliveries_due'`,
    );
    return row!.entries;
  };

  it('polls do not walk over the deliveries that were finished meanwhile', async () => {
    await add(1, FINISHED, START - MINUTE_MS);
    await scratch.exec('ANALYZE deliveries');
    await report.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM events');
    await finishAll();
    await add(FINISHED + 1, FINISHED + 1, START);
    const before = await entriesRead();
    for (let n = 0; n < 10; n += 1) {
      expect(await poll()).toEqual([1]);
      expect(await read()).toEqual([FINISHED + 1]);
    }
    // The first poll of all.
    expect((await entriesRead()) - before).toBeLessThan(1.1 * FINISHED);
  });

  it('deliveries that became visible late are found within a minute, and the next ones at once', async () => {
    expect(await poll()).toEqual([]);
    await add(1, 1, START - MINUTE_MS / 4);
    expect(await poll()).toEqual([]);
    scratch.clock.time += MINUTE_MS;
    expect(await poll()).toEqual([1]);
    expect(await read()).toEqual([1]);
    await finishAll();
    expect(await poll()).toEqual([]);
    await add(2, 2, scratch.clock.now() - MINUTE_MS / 4);
    expect(await poll()).toEqual([1]);
    expect(await read()).toEqual([2]);
  });
});
