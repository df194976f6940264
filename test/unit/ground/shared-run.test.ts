import { SharedRun } from '../../../src/relay/ground/shared-run';

it('shares a run among concurrent callers, and starts a new one once it has settled', async () => {
  let runs = 0;
  const shared = new SharedRun(async () => {
    runs += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (runs === 2) throw new Error('failed');
    return runs;
  });
  expect(await Promise.all([shared.run(), shared.run()])).toEqual([1, 1]);
  const failing = [shared.run(), shared.run()];
  expect(shared.isRunning).toBe(true);
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(shared.isRunning).toBe(false);
  const last = shared.run();
  await shared.idle();
  expect(shared.isRunning).toBe(false);
  expect(await last).toBe(3);
});
