import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { until } from '../../support/until';
import { draft, ScratchJournal, to } from '../../support/daemon/scratch-journal';

const QUIET_PAUSE_MS = 1_000;
const BUSY_PAUSE_MS = 50;
const IDLE_MS = 30_000;

describe('the checkpoint thread', () => {
  it('is started by the first commit, so that it does not delay the start', async () => {
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);
    const scratch = await ScratchJournal.openWithThreads();
    try {
      // Node emits the event in a later tick.
      await setImmediate();
      expect(started).toBe(1);
      await scratch.journal.append(draft(1), to());
      await until('the thread is started', () => started === 2);
    } finally {
      process.off('worker', count);
      await scratch.remove();
    }
  });

  it('is not asked for a checkpoint for a second, unless a megabyte was committed', async () => {
    const scratch = await ScratchJournal.openWithThreads();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const pauses = () =>
      timers.mock.calls.map(([, ms]) => ms).filter((ms) => ms === QUIET_PAUSE_MS || ms === BUSY_PAUSE_MS);
    try {
      await scratch.journal.append(draft(1), to());
      expect(pauses()).toEqual([QUIET_PAUSE_MS]);
      await scratch.journal.append(draft(2), to());
      expect(pauses()).toEqual([QUIET_PAUSE_MS]);
      await scratch.journal.append({ ...draft(3), body: Buffer.alloc(2 ** 20) }, to());
      expect(pauses()).toEqual([QUIET_PAUSE_MS, BUSY_PAUSE_MS]);
    } finally {
      timers.mockRestore();
      await scratch.remove();
    }
  });

  it('ends once it is idle, and is started again by the next commit', async () => {
    const [started, ended] = [[] as Worker[], [] as Worker[]];
    const note = (worker: Worker) => {
      started.push(worker);
      worker.once('exit', () => ended.push(worker));
    };
    process.on('worker', note);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const scratch = await ScratchJournal.openWithThreads();
    try {
      const big = { ...draft(1), body: Buffer.alloc(2 ** 20) };
      await scratch.journal.append(big, to());
      await until('the thread is started', () => started.length === 2);
      const [endIdle] = timers.mock.calls.find(([, ms]) => ms === IDLE_MS)!;
      endIdle();
      await until('the thread has ended', () => ended.length === 1);
      expect(ended[0]).toBe(started[1]);
      await scratch.journal.append({ ...big, ...draft(2) }, to());
      await until('the thread is started again', () => started.length === 3);
    } finally {
      timers.mockRestore();
      process.off('worker', note);
      await scratch.remove();
    }
  });
});
