import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { ClockAlertsWorker } from '../../../src/relay/system-events/clock-alerts.worker';
import { FixedClock } from '../../support/clock';

const MINUTE_MS = 60_000;

it.each([
  ['took the only daemon long to store is as old as it seems', false, 20 * MINUTE_MS],
  ['another daemon may have dated is no older than its commit', true, 0],
])('an event that %s', (_, isShared, ageMs) => {
  const clock = new FixedClock();
  const bounds = new TimeBounds(clock);
  let commit: (committed: object) => void = () => undefined;
  const journal = { onCommit: (listener: typeof commit) => (commit = listener) };
  const unused = undefined as never;
  new ClockAlertsWorker(bounds, clock, journal as never, unused, { isShared } as never, unused, unused);
  const receivedAt = clock.now();
  clock.time += 20 * MINUTE_MS;
  commit({ events: [{ seq: 1, draft: { receivedAt } }] });
  expect([bounds.ageOf(receivedAt), bounds.checkedThrough]).toEqual([ageMs, 1]);
});
