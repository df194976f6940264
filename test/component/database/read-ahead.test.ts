import { SqlitePrefetch } from '../../../src/relay/database/sqlite/writer/prefetch';
import { SqliteQueueReads } from '../../../src/relay/database/sqlite/queue-reads';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { draft, result, ScratchJournal, START, to } from '../../support/daemon/scratch-journal';

type Prefetch = Parameters<SqlitePrefetch['read']>[0];

/** Due regardless of its time. */
const ALWAYS = Infinity;

const seqs = (deliveries: { key: { seq: number } }[]) => deliveries.map(({ key }) => key.seq);

describe('reading due deliveries', () => {
  let scratch: ScratchJournal;
  let connection: InstanceType<typeof sqliteDriver>;
  let queue: SqliteQueueReads;
  /** What the other thread was asked to read. */
  let ahead: Prefetch[] = [];

  beforeEach(async () => {
    scratch = await ScratchJournal.openWithThreads();
    for (let n = 1; n <= 5; n += 1) await scratch.journal.append(draft(n), to(1));
    for (const n of [6, 7, 8]) await scratch.journal.append(draft(n), () => [{ target: 2, lane: 'all' }]);
    connection = new sqliteDriver(scratch.file, { readonly: true });
    const prefetch = new SqlitePrefetch(connection);
    ahead = [];
    queue = new SqliteQueueReads(scratch.file, async (what) => {
      ahead.push(what);
      return prefetch.read(what);
    });
  });

  afterEach(async () => {
    await queue.close();
    connection.close();
    await scratch.remove();
  });

  /** Listeners are called after the promise of an append is resolved. */
  const appendNoticed = async (n: number, target: number) => {
    const noticed = new Promise<void>((resolve) => {
      scratch.journal.onCommit((committed) => {
        queue.onCommitted(committed);
        resolve();
      });
    });
    await scratch.journal.append(draft(n), to(target));
    await noticed;
  };

  it('happens ahead on another thread, in blocks, if they were stored before the start', async () => {
    expect(seqs(await queue.takeDue(1, 0, ALWAYS, 3))).toEqual([1, 2, 3]);
    expect(ahead).toEqual([['due', 1, 0, ALWAYS, -1, 0, 0, 3]]);
    for (const seq of [1, 2, 3]) expect(await queue.readEvent(seq)).toMatchObject({ seq });
    expect(seqs(await queue.takeDue(1, 0, ALWAYS, 3))).toEqual([1, 2, 3]);
    expect(ahead.length).toBe(1);
    expect(seqs(await queue.takeDue(1, 0, ALWAYS, 9))).toEqual([1, 2, 3, 4, 5]);
    expect(await queue.readEvent(7)).toMatchObject({ seq: 7 });
    expect(ahead.slice(1)).toEqual([
      ['due', 1, 0, ALWAYS, -1, 0, 0, 9],
      ['event', 7],
    ]);
  });

  it('happens ahead for the next deliveries of a lane together', async () => {
    const [head] = await queue.takeDue(2, 0, ALWAYS, 1);
    ahead = [];
    const next = await queue.readSuccessor(head!);
    expect(next).toMatchObject({ key: { seq: 7 }, event: { seq: 7 } });
    expect(await queue.readSuccessor(next!)).toMatchObject({ key: { seq: 8 } });
    expect(ahead).toEqual([['lane', 2, 'all', 6, 0]]);
  });

  it('happens directly if they were stored since the start, and not at all if nothing is due', async () => {
    await appendNoticed(9, 3);
    expect(seqs(await queue.takeDue(3, 0, ALWAYS, 9))).toEqual([9]);
    expect(await queue.readEvent(9)).toMatchObject({ seq: 9 });
    expect(await queue.takeDue(4, 0, ALWAYS, 9)).toEqual([]);
    expect(await queue.takeDue(1, 2, ALWAYS, 9)).toEqual([]);
    expect(ahead).toEqual([]);
    await queue.readEvent(8);
    expect(ahead).toEqual([['event', 8]]);
  });

  it('works after a restart, and returns nothing once the journal is closed', async () => {
    await scratch.reopen();
    expect(seqs(await scratch.journal.takeDue(1, 0, ALWAYS, 2))).toEqual([1, 2]);
    expect(await scratch.journal.readEvent(4)).toMatchObject({ seq: 4 });
    await scratch.journal.saveResult(result(1, 1));
    expect(seqs(await scratch.journal.takeDue(1, 0, START, 2))).toEqual([2, 3]);
    const late = scratch.journal.takeDue(1, 0, ALWAYS, 2);
    await scratch.close();
    expect(await late).toEqual(expect.any(Array));
    expect(await queue.takeDue(1, 0, ALWAYS, 1)).toHaveLength(1);
    await queue.close();
    expect(await queue.takeDue(1, 0, ALWAYS, 1)).toEqual([]);
  });
});
