import { report } from '../support/runs/report';
import { rotateUnderLoad } from '../support/runs/rotation-run';

const PER_SECOND = 200;
const ROTATIONS = 4;

it('four rotations under 200 notifications a second reject none, lose none and deliver none twice', async () => {
  const { emitted, arrivals, outcomes, webhooks } = await rotateUnderLoad({
    perSecond: PER_SECOND,
    rotations: ROTATIONS,
    clockSpeed: 1,
  });
  report(`rotation: ${emitted} events, ${webhooks} webhooks, outcomes ${JSON.stringify(outcomes)}`);
  expect(Object.keys(outcomes)).toEqual(['200']);
  expect(webhooks).toBe(ROTATIONS + 1);
  expect(arrivals.size).toBe(emitted);
  expect(Math.max(...arrivals.values())).toBe(1);
});
