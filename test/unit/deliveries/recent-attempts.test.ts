import { Backlog } from '../../../src/relay/deliveries/queue/backlog';
import { RecentAttemptsStore } from '../../../src/relay/deliveries/recent-attempts.store';
import { Signal } from '../../../src/relay/ground/signal';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { FixedClock } from '../../support/clock';

const MINUTE = 60_000;
const TARGET = 1;

let clock: FixedClock;
let backlog: Backlog;
let store: RecentAttemptsStore;
let commits: Signal<[object]>;

beforeEach(() => {
  clock = new FixedClock(Date.parse('2026-03-02T09:00:00Z'));
  commits = new Signal<[object]>();
  const bounds = new TimeBounds(clock);
  const none = {} as never;
  const targets = { onChange: () => undefined, byNumber: () => ({}) } as never;
  const journal = { onCommit: commits.subscribe.bind(commits) } as never;
  backlog = new Backlog(none, none, targets, journal, none, bounds, none);
  store = new RecentAttemptsStore(none, bounds, targets, backlog, journal);
});

/** A minute in which this many deliveries ended, and as many attempts failed, with this backlog at its end. */
function minute(finished: number, queued: number, end = 'succeeded'): void {
  const key = { target: TARGET };
  const results = [end, 'retrying'].flatMap((state) =>
    Array.from({ length: finished }, () => ({ key, attempt: { durationMs: 5 }, state })),
  );
  const added = queued - backlog.queued(TARGET) + finished;
  const scheduled = Array.from({ length: Math.max(0, added) }, () => key);
  const ended = Array.from({ length: Math.max(0, -added) }, () => ({ key, previousState: 'pending' }));
  commits.emit({ events: [], scheduled, ended, results, deadLetters: [] });
  clock.time += MINUTE;
}

describe('the rate at which a target receives deliveries', () => {
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

  it('does not count dead letters, but the minutes in which there was nothing else', () => {
    minute(12, 900, 'dead');
    minute(12, 888, 'dead');
    minute(12, 876, 'dead');
    expect(store.perMinute(TARGET)).toBeNull();
    minute(12, 864);
    minute(12, 852);
    expect(store.perMinute(TARGET)).toBe(6);
  });

  it('is not known after a quarter of an hour without deliveries', () => {
    minute(12, 900);
    minute(12, 888);
    clock.time += 15 * MINUTE;
    expect(store.perMinute(TARGET)).toBeNull();
  });
});

it('knows the backlog at the end of each minute since the start, also of those without a commit', () => {
  const start = clock.time;
  minute(0, 900);
  minute(12, 888);
  clock.time += 2 * MINUTE;
  minute(0, 900);
  const starts = [-1, 0, 1, 2, 3, 4, 5].map((ago) => start + ago * MINUTE);
  const queued = (stepMs: number) => store.steps(TARGET, starts, stepMs).map((step) => step.queued);
  expect(queued(MINUTE)).toEqual([null, 900, 888, 888, 888, 900, 900]);
  clock.time += 57 * MINUTE;
  expect(queued(MINUTE)).toEqual([null, null, null, null, 888, 900, 900]);
});

it('knows whether the backlog grew in each of the latest whole minutes', () => {
  for (const [queued, isGrowing] of [
    [10, false],
    [20, false],
    [30, false],
    [31, true],
    [32, true],
    [30, false],
    [40, false],
  ] as const) {
    minute(5, queued);
    expect([queued, backlog.isGrowing(TARGET)]).toEqual([queued, isGrowing]);
  }
});
