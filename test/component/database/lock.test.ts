import { copyFileSync, renameSync } from 'node:fs';
import { SqliteWriter } from '../../../src/relay/database/sqlite/writer/writer';
import { threadTime } from '../../../src/relay/ground/thread-time';
import { draft, ScratchJournal, to } from '../../support/daemon/scratch-journal';
import { until } from '../../support/until';

describe('while another program locks the database file', () => {
  let scratch: ScratchJournal;
  beforeEach(async () => {
    scratch = await ScratchJournal.openWithThreads();
  });
  afterEach(() => scratch.remove());

  it('an event is not stored once it has waited for 4 s, so that its 503 comes within the time of Co-Pilot', async () => {
    const unlock = scratch.holdWriter();
    // The writer would wait for as long as this takes, and then store the event.
    const timer = setTimeout(unlock, 3_000);
    const arrivedAt = scratch.clock.monotonic() - 3_900;
    const outcome = await scratch.journal.append(draft(1), to(1), arrivedAt);
    expect(outcome).toMatchObject({ status: 'not_stored', reason: 'storage', cause: 'SQLITE_BUSY' });
    clearTimeout(timer);
    unlock();
    expect(await scratch.journal.append(draft(2), to(1))).toMatchObject({ status: 'accepted', seq: 1 });
  });

  it('an event waits for the lock while there is time, and is stored', async () => {
    const unlock = scratch.holdWriter();
    const appended = scratch.journal.append(draft(1), to(1));
    let outcome: unknown = null;
    void appended.then((found) => (outcome = found));
    setImmediate(unlock);
    await until('it is stored', () => outcome !== null);
    expect(outcome).toMatchObject({ status: 'accepted' });
  });
});

it('nothing is stored in a file that was moved, removed or replaced, and it goes on once that is undone', async () => {
  const scratch = await ScratchJournal.openWithThreads();
  const aside = `${scratch.file}.aside`;
  const append = (n: number) => scratch.journal.append(draft(n), to(1));
  try {
    expect(await append(1)).toMatchObject({ status: 'accepted' });
    const moved = { status: 'not_stored', reason: 'storage', cause: 'SQLITE_READONLY_DBMOVED' };
    renameSync(scratch.file, aside);
    expect(await append(2)).toEqual(moved);
    copyFileSync(aside, scratch.file);
    expect(await append(3)).toEqual(moved);
    renameSync(aside, scratch.file);
    expect(await append(4)).toMatchObject({ status: 'accepted', seq: 2 });
    expect(scratch.count('events')).toBe(2);
  } finally {
    await scratch.remove();
  }
});

it('a group that the writer reaches too late is not begun, since its events were answered with 503', async () => {
  const scratch = await ScratchJournal.openWithThreads();
  await scratch.close();
  const writer = new SqliteWriter(scratch.file);
  const work = { append: [], result: [], change: [], prune: [], shrink: [4] };
  const group = { now: scratch.clock.now(), targetsVersion: null, work };
  try {
    expect(writer.commit(group, threadTime() - 501)).toMatchObject({
      error: 'TOO_LATE',
      outcomes: { shrink: ['TOO_LATE'] },
    });
    expect(writer.commit(group, threadTime() + 1_000).error).toBeNull();
  } finally {
    writer.close();
    await scratch.remove();
  }
});
