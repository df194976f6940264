import type { Worker } from 'node:worker_threads';
import { draft, ScratchJournal, to } from '../../support/daemon/scratch-journal';
import { until } from '../../support/until';

const IDLE_MS = 10_000;

describe('a thread that is idle', () => {
  const started: Worker[] = [];
  const ended: Worker[] = [];
  let scratch: ScratchJournal;
  let timers: jest.SpiedFunction<typeof setTimeout>;

  const note = (worker: Worker) => {
    started.push(worker);
    worker.once('exit', () => ended.push(worker));
  };
  /** Runs the latest timer of a thread, as if nothing had happened since. */
  const passIdleTime = () => {
    const [onIdle] = timers.mock.calls.findLast(([, ms]) => ms === IDLE_MS)!;
    onIdle();
  };

  beforeEach(async () => {
    started.length = 0;
    ended.length = 0;
    process.on('worker', note);
    timers = jest.spyOn(globalThis, 'setTimeout');
    scratch = await ScratchJournal.openWithThreads();
    await until('the thread that commits is started', () => started.length === 1);
  });

  afterEach(async () => {
    timers.mockRestore();
    process.off('worker', note);
    await scratch.remove();
  });

  it('for checkpoints ends, and is started again by the next commit', async () => {
    const big = { ...draft(1), body: Buffer.alloc(2 ** 20) };
    await scratch.journal.append(big, to());
    await until('the thread is started', () => started.length === 2);
    await until('the log is copied', async () => {
      passIdleTime();
      return ended.length === 1;
    });
    expect(ended[0]).toBe(started[1]);
    await scratch.journal.append({ ...draft(2), body: big.body }, to());
    await until('the thread is started again', () => started.length === 3);
  });

  it('for reads ends, but not amid a read, and is started again by the next read', async () => {
    const rows = scratch.reader.all(['SELECT 1 AS one', []]);
    passIdleTime();
    expect(await rows).toEqual([{ one: 1 }]);
    expect(await scratch.reader.all(['SELECT 2 AS two', []])).toEqual([{ two: 2 }]);
    expect(started).toHaveLength(2);
    passIdleTime();
    await until('the thread has ended', () => ended.length === 1);
    expect(await scratch.reader.all(['SELECT 3 AS three', []])).toEqual([{ three: 3 }]);
    expect(started).toHaveLength(3);
  });
});
