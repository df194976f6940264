import { pino } from 'pino';
import { lowThreshold } from '../../../src/relay/database/disk-space';
import { WatchDisk } from '../../../src/relay/diagnostics/watch-disk';

const GIB = 1024 ** 3;

describe('a disk with little left', () => {
  it.each([
    [1_000, 5],
    [80, 4],
    [12, 1],
    [2, 0.2],
  ])('of %d GiB in all is one with less than %d', (total, mark) => {
    expect(lowThreshold(total * GIB) / GIB).toBeCloseTo(mark);
  });

  const room = { free: 0, total: 100 * GIB };
  const told: string[] = [];
  const alerts = {
    raise: ({ type, severity, sentence }: { type: string; severity: string; sentence: string }) =>
      told.push(`${severity} ${type}: ${sentence}`),
    resolve: (type: string, _: string, sentence: string) => told.push(`resolved ${type}: ${sentence}`),
  };
  const watchWith = (settings: { retentionDays: number; retentionBytes: number }) => {
    const journal = { onDiskFault: () => undefined };
    const disk = { read: async () => ({ ...room }) };
    const log = pino({ level: 'silent' });
    return new WatchDisk(journal as never, disk as never, settings as never, alerts as never, log);
  };
  const keeping = { retentionDays: 30, retentionBytes: 0 };

  beforeEach(() => told.splice(0));

  it('raises an alert long before it is full, a critical one where room has to be made, and resolves it', async () => {
    const watch = watchWith(keeping);
    for (const free of [6, 4.9, 1.2, 5.1, 5.6]) {
      room.free = free * GIB;
      await watch.tick();
    }
    expect(told).toEqual([
      'resolved relay.disk.low: 6.0 GiB of 100.0 GiB are free on the database disk again.',
      expect.stringMatching(/^warning relay\.disk\.low: 4\.9 GiB of 100\.0 GiB are free .* lost\.$/),
      expect.stringMatching(/^critical relay\.disk\.low: 1\.2 GiB .* events are removed to free space\.$/),
      expect.stringMatching(/^resolved relay\.disk\.low: 5\.6 GiB/),
    ]);
  });

  it('says nothing of room that is made where everything is to be kept', async () => {
    room.free = GIB;
    await watchWith({ retentionDays: 0, retentionBytes: 0 }).tick();
    expect(told).toEqual([expect.stringMatching(/^critical .* lost\.$/)]);
  });
});
