import { pino } from 'pino';
import type { DiskFailureListener } from '../../../src/relay/database/journal/disk-failures';
import { lowThreshold } from '../../../src/relay/database/disk-space';
import { DiskAlertsWorker } from '../../../src/relay/diagnostics/disk-alerts.worker';
import type { Settings } from '../../../src/relay/settings/settings';
import { FixedClock } from '../../support/clock';

const START = Date.parse('2026-03-02T09:30:00.000Z');
const GIB = 1024 ** 3;

describe('a disk with little free space', () => {
  it.each([
    [1_000, 5],
    [80, 4],
    [12, 1],
    [2, 0.2],
  ])('of %d GiB is low below %d GiB', (total, mark) => {
    expect(lowThreshold(total * GIB) / GIB).toBeCloseTo(mark);
  });

  const room = { freeBytes: 0, totalBytes: 100 * GIB };
  const alerted: string[] = [];
  const alerts = {
    raise: ({ type, severity, sentence }: { type: string; severity: string; sentence: string }) =>
      alerted.push(`${severity} ${type}: ${sentence}`),
    resolve: (type: string, _: string, sentence: string) => alerted.push(`resolved ${type}: ${sentence}`),
  };
  const clock = new FixedClock(START);
  let fail: DiskFailureListener;
  const watchWith = (settings: Partial<Settings>) => {
    const journal = { onDiskFailure: (listener: DiskFailureListener) => void (fail = listener) };
    const disk = { read: async () => ({ ...room }) };
    const log = pino({ level: 'silent' });
    return new DiskAlertsWorker(
      journal as never,
      disk as never,
      settings as never,
      alerts as never,
      clock,
      log,
    );
  };
  const passed = () => alerted.splice(0).filter((text) => text.includes('disk.failed'));
  const withRetention = { retentionDays: 30, retentionBytes: 0 };

  beforeEach(() => alerted.splice(0));

  it('raises an alert long before it is full, a critical one when events are removed, and resolves it', async () => {
    const watch = watchWith(withRetention);
    for (const free of [6, 4.9, 1.2, 5.1, 5.6]) {
      room.freeBytes = free * GIB;
      await watch.tick();
    }
    expect(alerted).toEqual([
      'resolved relay.disk.low: 6.0 GiB of 100.0 GiB are free on the database disk again.',
      expect.stringMatching(/^warning relay\.disk\.low: 4\.9 GiB of 100\.0 GiB are free .* lost\.$/),
      expect.stringMatching(
        /^critical relay\.disk\.low: 1\.2 GiB .* events older than a day are removed to free space, the oldest first\.$/,
      ),
      expect.stringMatching(/^resolved relay\.disk\.low: 5\.6 GiB/),
    ]);
  });

  it('does not announce removed events if there is no retention', async () => {
    room.freeBytes = GIB;
    await watchWith({ retentionDays: 0, retentionBytes: 0 }).tick();
    expect(alerted).toEqual([expect.stringMatching(/^critical .* lost\.$/)]);
  });

  it('raises a critical alert once writing has failed for longer than Co-Pilot retries, if the cause may end by itself', async () => {
    room.freeBytes = 50 * GIB;
    const watch = watchWith({ ...withRetention, databaseFile: '/data/switchboard.db', postgresUrl: null });
    fail('commit', 'SQLITE_BUSY');
    expect(passed()).toEqual([
      expect.stringMatching(
        /^warning relay\.disk\.failed: .* another program locks the database file \/data\/switchboard\.db \(SQLITE_BUSY\)/,
      ),
    ]);
    clock.time += 29_000;
    await watch.tick();
    expect(passed()).toEqual([]);
    clock.time += 1_000;
    await watch.tick();
    await watch.tick();
    expect(passed()).toEqual([expect.stringMatching(/^critical relay\.disk\.failed/)]);
    fail('commit', null);
    expect(passed()).toEqual([expect.stringMatching(/^resolved/)]);
    fail('commit', 'SQLITE_FULL');
    expect(passed()).toEqual([expect.stringMatching(/^critical .* the disk of the database is full/)]);
  });
});
