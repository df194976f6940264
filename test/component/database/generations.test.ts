import type { Pool } from 'pg';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { DaemonRecords } from '../../../src/relay/several-daemons/daemon-records';
import { Generations } from '../../../src/relay/database/postgres/generations';
import { draft, result, to } from '../../support/daemon/scratch-journal';
import { ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { TestPostgres } from '../../support/postgres';

describe('a server that is not what it was', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;
  let pool: Pool;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    scratch = await ScratchPostgres.open(postgres);
    pool = openPool(scratch.url, 2);
  });
  afterEach(async () => {
    await pool.end();
    await scratch.remove();
  });

  const refused = { status: 'not_stored', reason: 'storage', cause: 'not_leader' };
  /** As if a standby had been promoted. */
  const failOver = () => scratch.exec(`UPDATE generations SET timeline = '00000000'`);
  const generations = () =>
    scratch.rows(`SELECT generation, kept_seq AS kept, seen_seq AS seen, lost_commits AS commits, reports, is_told AS told
      FROM generations WHERE generation > 0 ORDER BY generation`);

  it('gets nothing more from a journal that has read the former one, which stores no result on what is there now', async () => {
    await scratch.journal.append(draft(1), to(1));
    await failOver();
    expect(await scratch.journal.append(draft(2), to(1))).toEqual(refused);
    await scratch.journal.saveResult(result(1, 1));
    await expect(scratch.journal.change({ statements: [['DELETE FROM events', []]] })).rejects.toMatchObject({
      status: 503,
    });
    expect(await scratch.rows('SELECT state FROM deliveries')).toEqual([{ state: 'pending' }]);
    expect(await scratch.count('events')).toBe(1);
  });

  it('is not read by a journal from before, which would combine it with what it remembers', async () => {
    await scratch.journal.append(draft(1), to(1));
    const read = async () => (await scratch.journal.takeDue(1, 0, Infinity, 10)).map(({ key }) => key.seq);
    expect(await read()).toEqual([1]);
    await failOver();
    await new Generations(pool).check();
    expect(await read()).toEqual([]);
    expect(await scratch.journal.findDue([{ target: 1, beyond: Infinity }], Infinity)).toEqual([]);
  });

  it.each([
    ['that has lost a transaction of a journal', -1],
    ['with a transaction that is not of the journal', 1],
  ])('%s is written only by one that has read it anew', async (_, difference) => {
    await scratch.journal.append(draft(1), to(1));
    await scratch.exec(`UPDATE writers SET n = n + ${difference}`);
    expect(await scratch.journal.append(draft(2), to(1))).toEqual(refused);
    await scratch.reopen();
    expect(await scratch.journal.append(draft(2), to(1))).toMatchObject({ status: 'accepted' });
  });

  it('stores events in doubt, if their commit takes longer than their senders wait: these fail, and are duplicates later', async () => {
    await scratch.exec(`CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.seq = 2 THEN PERFORM pg_sleep(1.5); END IF; RETURN NULL; END $$`);
    await scratch.exec(`CREATE CONSTRAINT TRIGGER delay AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION delay()`);
    const append = (n: number, waitedMs: number) =>
      scratch.journal.append(draft(n), to(1), scratch.clock.monotonic() - waitedMs);
    expect(await append(1, 0)).toMatchObject({ status: 'accepted', seq: 1 });
    expect(await append(2, 3_500)).toMatchObject({ status: 'not_stored', reason: 'storage' });
    expect(await append(3, 0)).toMatchObject({ status: 'accepted', seq: 3 });
    expect(await append(2, 0)).toMatchObject({ status: 'duplicate', seq: 2 });
  });

  it('starts one generation, in which all daemons record what they knew to be stored in the previous one', async () => {
    await scratch.journal.append(draft(1), to(1));
    const daemons = [1, 2, 3].map(() => new Generations(pool));
    for (const daemon of daemons) await daemon.check();
    daemons[0]!.stored(0, 3);
    daemons[1]!.stored(0, 5);
    const [writer] = await scratch.rows<{ name: string; n: number }>('SELECT name, n FROM writers');
    daemons[1]!.committed(0, writer!.name, writer!.n + 2);
    daemons[2]!.stored(0, 1);
    await failOver();
    await Promise.all(daemons.map((daemon) => daemon.check()));
    expect(await generations()).toEqual([
      { generation: 1, kept: 1, seen: 5, commits: 2, reports: 3, told: 0 },
    ]);
    expect(daemons.map(({ current }) => current)).toEqual([1, 1, 1]);
    // An application that has ended since is late.
    daemons[0]!.stored(0, 3);
    daemons[1]!.committed(0, writer!.name, writer!.n + 2);
    await Promise.all(daemons.map((daemon) => daemon.check()));
    expect(await generations()).toHaveLength(1);
  });

  it('is noticed by its missing rows, though it is a copy of the same server', async () => {
    const daemon = new Generations(pool);
    await daemon.check();
    daemon.stored(0, 9);
    await daemon.check();
    expect(await generations()).toEqual([
      { generation: 1, kept: 0, seen: 9, commits: 0, reports: 1, told: 0 },
    ]);
  });

  it('means nothing to a daemon that knew nothing, and nothing is lost if all is there', async () => {
    await failOver();
    await new Generations(pool).check();
    const daemon = new Generations(pool);
    await daemon.check();
    await scratch.reopen();
    await scratch.journal.append(draft(1), to(1));
    daemon.stored(1, 1);
    await failOver();
    await daemon.check();
    expect(await generations()).toEqual([
      { generation: 1, kept: 0, seen: 0, commits: 0, reports: 1, told: 0 },
      { generation: 2, kept: 1, seen: 1, commits: 0, reports: 1, told: 0 },
    ]);
  });

  it('keeps the messages for a leader until there is one, in their order, and not for one that led before', async () => {
    const records = new DaemonRecords(pool);
    const messages = [1, 2].map((count) => ({ kind: 'not_stored' as const, reason: 'late' as const, count }));
    for (const message of messages) await records.leaveMessage(message);
    await records.renew({ id: 'one', version: '1', delivers: true });
    await records.takeOver({ id: 'one' });
    const { epoch } = await records.leader();
    expect(await records.takeMessages(epoch - 1)).toEqual([]);
    expect(await records.takeMessages(epoch)).toEqual(messages);
    expect(await records.takeMessages(epoch)).toEqual([]);
  });
});
