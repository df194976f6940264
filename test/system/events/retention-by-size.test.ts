import { START } from '../../support/daemon/scratch-journal';
import {
  DAY_MS,
  GIB,
  LIMIT,
  append,
  disk,
  raised,
  runRetention,
  scratch,
  sentences,
  seqs,
  useRetention,
} from './scratch-retention';

useRetention();

/** The size limit for about this many events, tables included. */
const bytes = (events: number) => ({ SWITCHBOARD_RETENTION_BYTES: String(events * 24_576 + 300_000) });

const expectFirst = (count: number) =>
  expect(seqs().slice(0, count)).toEqual(Array.from({ length: count }, (_, i) => i + 1));

describe('retention', () => {
  it('by size removes finished events first, then dead letters, and unfinished ones last', async () => {
    await append(
      150,
      (n) => n <= 60,
      (n) => n > 60 && n <= 90,
    );
    await runRetention(bytes(120));
    expectFirst(90);
    expect([...raised.keys()]).toEqual(['relay.retention.removed_early']);
    raised.delete('relay.retention.removed_early');
    await runRetention(bytes(75));
    expectFirst(60);
    expect([...raised.keys()]).toEqual(['relay.retention.removed_early', 'relay.retention.dead_removed']);
    raised.delete('relay.retention.removed_early');
    await runRetention(bytes(32));
    expect(seqs()).not.toContain(1);
    expect(seqs()).toContain(60);
    expect([...raised.keys()].toSorted()).toEqual([
      'relay.retention.cancelled',
      'relay.retention.dead_removed',
      'relay.retention.removed_early',
    ]);
  });

  it('frees space before it checks ages', async () => {
    await append(150, () => false);
    scratch.clock.time = START + 60 * DAY_MS;
    const { journal } = scratch;
    const prune = journal.prune.bind(journal);
    const byAge: boolean[] = [];
    journal.prune = (step) => (byAge.push(step.removeIdentitiesBefore !== null), prune(step));
    await runRetention({ SWITCHBOARD_RETENTION_BYTES: String(LIMIT) });
    expect(byAge).toContain(false);
    expect(byAge).toContain(true);
    expect(byAge).toEqual(byAge.toSorted((a, b) => Number(a) - Number(b)));
  });

  it('on a nearly full disk removes only the oldest finished events, returns the space and says so', async () => {
    await append(
      150,
      (n) => n <= 10,
      (n) => n > 10 && n <= 20,
    );
    // What has filled the disk may be something else.
    disk.freeBytes = 0;
    scratch.clock.time = START + DAY_MS;
    expect(await runRetention({})).toMatchObject({ removed: 0 });
    scratch.clock.time += 1;
    // Critical on this disk is less than 1.25 GiB; retention frees a quarter more.
    disk.freeBytes = 1.5625 * GIB - 1_000_000;
    expect(await runRetention({})).toMatchObject({ removed: 0 });
    disk.freeBytes = 1.25 * GIB - 1;
    disk.totalBytes = 25 * GIB;
    expect(await runRetention({})).toMatchObject({ removed: 0 });
    disk.totalBytes = 100 * GIB;
    const { removed } = await runRetention({});
    expect(removed).toBe(129);
    expect(seqs()).toEqual([...Array.from({ length: 20 }, (_, i) => i + 1), 150]);
    expect([...raised]).toEqual([['relay.retention.removed_early', 129]]);
    expect(sentences.at(-1)).toMatch(/because the disk was nearly full/);
    expect(await scratch.journal.shrink(0)).toMatchObject({ freeBytes: 0 });
  });

  it('on a nearly full disk removes no more than necessary', async () => {
    disk.totalBytes = 20_000_000;
    disk.freeBytes = 20_000_000;
    await append(150, () => false);
    scratch.clock.time = START + 2 * DAY_MS;
    disk.freeBytes = 300_000;
    const { removed } = await runRetention({});
    expect(removed).toBeGreaterThan(10);
    expect(removed).toBeLessThan(100);
    expect(seqs()[0]).toBe(removed + 1);
  });

  it('keeps everything, however full the disk, if the settings say so', async () => {
    await append(30, () => false);
    disk.freeBytes = 1_000;
    expect(await runRetention({ SWITCHBOARD_RETENTION_DAYS: '0' })).toMatchObject({ removed: 0 });
  });
});
