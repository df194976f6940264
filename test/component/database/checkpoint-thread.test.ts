import { setImmediate } from 'node:timers/promises';
import { until } from '../../support/until';
import { draft, ScratchJournal, to } from '../../support/daemon/scratch-journal';

const QUIET_PAUSE_MS = 1_000;
const BUSY_PAUSE_MS = 50;

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
});
