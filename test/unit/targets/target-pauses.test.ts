import { TargetPausesWorker } from '../../../src/relay/targets/target-pauses.worker';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { FixedClock } from '../../support/clock';

it('a target that cannot be resumed at the end of its pause does not keep others paused', async () => {
  const clock = new FixedClock();
  const paused = ['broken', 'next'].map((id) => ({ id, name: id, paused: { until: clock.time } }));
  const resumed: string[] = [];
  const targets = {
    all: () => paused,
    setPaused: async (id: string) => {
      if (id === 'broken') throw new Error('It cannot be stored.');
      resumed.push(id);
    },
  };
  const log = { error: () => undefined };
  const worker = new TargetPausesWorker(targets as never, clock, new TimeBounds(clock), log as never);
  await worker.tick();
  expect(resumed).toEqual(['next']);
});
