import { rotateUnderLoad } from '../../support/runs/rotation-run';

const PER_SECOND = 60;

it('A rotation at 60 notifications per second rejects none, loses none and delivers none twice', async () => {
  const { emitted, arrivals, outcomes, webhooks } = await rotateUnderLoad({
    perSecond: PER_SECOND,
    rotations: 1,
    clockSpeed: 2,
  });
  // Both webhooks have sent for 30 s of the daemon's time.
  expect(outcomes[200]).toBeGreaterThan(emitted + 10 * PER_SECOND);
  expect(Object.keys(outcomes)).toEqual(['200']);
  expect(webhooks).toBe(2);
  expect(arrivals.size).toBe(emitted);
  expect(Math.max(...arrivals.values())).toBe(1);
});
