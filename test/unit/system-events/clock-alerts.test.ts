import { Signal } from '../../../src/relay/ground/signal';
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
  const commits = new Signal<[object]>();
  const journal = { onCommit: (listener: () => void) => commits.subscribe(listener) } as never;
  const unused = undefined as never;
  const worker = new ClockAlertsWorker(bounds, clock, journal, unused, { isShared } as never, unused, unused);
  expect(worker).toBeDefined();
  const receivedAt = clock.now();
  clock.time += 20 * MINUTE_MS;
  commits.emit({ events: [{ seq: 1, draft: { receivedAt } }] });
  expect([bounds.ageOf(receivedAt), bounds.checkedThrough]).toEqual([ageMs, 1]);
});
