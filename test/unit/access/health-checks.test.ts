import type { DiskFailureListener } from '../../../src/relay/database/journal/disk-failures';
import type { Journal } from '../../../src/relay/database/journal/journal';
import type { Clock } from '../../../src/relay/ground/clock';
import { HealthService } from '../../../src/relay/diagnostics/health.service';

let now = 0;
let setBack = 0;
let writes = 0;
let fail: DiskFailureListener;
const clock: Clock = { now: () => now - setBack, monotonic: () => now, slept: () => 0 };
const journal: Journal = Object.assign(Object.create(null), {
  change: async () => void (writes += 1),
  onDiskFailure: (listener: DiskFailureListener) => void (fail = listener),
});
beforeEach(() => {
  now = 0;
  setBack = 0;
  writes = 0;
});
afterEach(() => jest.useRealTimers());

it('a check that takes more than two seconds fails', async () => {
  jest.useFakeTimers();
  const checks = new HealthService(journal, clock);
  checks.add({ name: 'stuck', check: () => new Promise(() => {}) });
  const results = checks.run();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await results).toEqual([
    { name: 'database', ok: true },
    { name: 'stuck', ok: false },
  ]);
});

it('requests within a second share one result, without another write', async () => {
  const checks = new HealthService(journal, clock);
  await Promise.all([checks.run(), checks.run()]);
  now = 999;
  await checks.run();
  expect(writes).toBe(1);
  now = 1_000;
  await checks.run();
  expect(writes).toBe(2);
  setBack = 7_200_000;
  now = 2_000;
  await checks.run();
  expect(writes).toBe(3);
});

it('the check of the database fails as long as commits do, also if its own small write succeeds', async () => {
  const checks = new HealthService(journal, clock);
  const isWritable = async () => {
    now += 1_000;
    return (await checks.run())[0]!.ok;
  };
  fail('checkpoint', 'SQLITE_FULL');
  expect(await isWritable()).toBe(true);
  fail('commit', 'SQLITE_FULL');
  expect(await isWritable()).toBe(false);
  fail('commit', null);
  expect(await isWritable()).toBe(true);
});
