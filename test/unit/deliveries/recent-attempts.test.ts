import { RecentAttemptsStore } from '../../../src/relay/deliveries/recent-attempts.store';
import { Signal } from '../../../src/relay/ground/signal';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { FixedClock } from '../../support/clock';

const MINUTE = 60_000;
const TARGET = 1;

let clock: FixedClock;
let queued: number;
let store: RecentAttemptsStore;
let commits: Signal<[object]>;

beforeEach(() => {
  clock = new FixedClock(Date.parse('2026-03-02T09:00:00Z'));
  commits = new Signal<[object]>();
  store = new RecentAttemptsStore(
    {} as never,
    new TimeBounds(clock),
    { onChange: () => undefined, byNumber: () => ({}) } as never,
    { queued: () => queued } as never,
    { onCommit: commits.subscribe.bind(commits) } as never,
  );
});

/** A minute in which this many deliveries were finished, and as many attempts failed, with this backlog at its end. */
function minute(finished: number, backlog: number): void {
  queued = backlog;
  for (const state of ['succeeded', 'retrying'])
    for (let i = 0; i < finished; i += 1) {
      const results = [{ key: { target: TARGET }, attempt: { durationMs: 5 }, state }];
      commits.emit({ events: [], scheduled: [], ended: [], results });
    }
  clock.time += MINUTE;
}

describe('the rate at which a target finishes deliveries', () => {
  it('is that of the whole minutes with a backlog', () => {
    minute(3, 900);
    expect(store.perMinute(TARGET)).toBeNull();
    minute(12, 888);
    minute(14, 874);
    minute(2, 0);
    expect(store.perMinute(TARGET)).toBe(13);
  });

  it('leaves out the minutes of a pause, and the one in which it ended', () => {
    minute(12, 900);
    minute(12, 888);
    minute(0, 900);
    minute(1, 899);
    minute(12, 887);
    expect(store.perMinute(TARGET)).toBe(12);
  });

  it('is not known after a quarter of an hour without deliveries', () => {
    minute(12, 900);
    minute(12, 888);
    clock.time += 15 * MINUTE;
    expect(store.perMinute(TARGET)).toBeNull();
  });
});
