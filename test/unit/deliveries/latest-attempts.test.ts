import { Signal } from '../../../src/relay/ground/signal';
import { FailingTargetQuery } from '../../../src/relay/deliveries/failing-target.query';
import { LatestAttemptsStore } from '../../../src/relay/deliveries/latest-attempts.store';
import { FixedClock } from '../../support/clock';

const START = Date.parse('2026-03-02T09:00:00Z');
const MINUTE = 60_000;

let queued: number;
let clock: FixedClock;
let store: LatestAttemptsStore;
let failing: FailingTargetQuery;
let commits: Signal<[object]>;

beforeEach(() => {
  queued = 0;
  clock = new FixedClock(START);
  commits = new Signal<[object]>();
  const targets = { onChange: () => {}, byNumber: () => ({}) };
  const journal = { onCommit: commits.subscribe.bind(commits) };
  store = new LatestAttemptsStore(
    {} as never,
    targets as never,
    clock,
    {} as never,
    { mask: null } as never,
    journal as never,
  );
  failing = new FailingTargetQuery(store, { queued: () => queued } as never, clock);
});

/** Attempts at target 1 with these statuses, one a second. */
function attempt(...statuses: number[]): void {
  for (const status of statuses) {
    const error = status === 200 ? null : 'http_status';
    const state = error === null ? 'succeeded' : 'retrying';
    const ended = { at: clock.time, durationMs: 5, status, error, excerpt: null };
    commits.emit({ erased: [], results: [{ key: { target: 1 }, attempt: ended, state }] });
    clock.time += 1_000;
  }
}

/** One that could not be made, for want of something on this machine. */
function failHere(): void {
  const ended = { at: clock.time, durationMs: 5, status: null, error: 'local_failure', excerpt: null };
  commits.emit({ erased: [], results: [{ key: { target: 1 }, attempt: ended, state: 'retrying' }] });
}

const second = (i: number) => START + i * 1_000 + 5;

describe('the latest attempts at a target', () => {
  it('show a recovery at the first success after five failures in a row', () => {
    attempt(500, 500, 500, 500, 500, 200, 200);
    expect(store.of(1)).toMatchObject({
      lastFailure: { at: second(4), status: 500, error: 'http_status' },
      lastSuccessAt: second(6),
      recoveredAt: second(5),
      failuresInRow: 0,
      failingSince: null,
    });
  });

  it('show no recovery after fewer failures, as of a target that rejects some events', () => {
    attempt(422, 422, 200, 422, 422, 200);
    expect(store.of(1).recoveredAt).toBeNull();
  });

  it('show a recovery at the first success after a response 410, which disables the target', () => {
    attempt(200, 410, 200);
    expect(store.of(1).recoveredAt).toBe(second(2));
  });

  it('keep a recovery until as many attempts have failed again', () => {
    attempt(500, 500, 500, 500, 500, 200, 500, 200);
    expect(store.of(1).recoveredAt).toBe(second(5));
    attempt(500, 500, 500, 500, 500);
    expect(store.of(1).recoveredAt).toBeNull();
  });
});

it('quotes nothing of an attempt with `$previous` that was in flight while an event was erased', () => {
  const fail = (previous: number | null) => {
    const ended = {
      at: clock.time,
      durationMs: 5,
      status: 500,
      error: 'http_status',
      excerpt: 'No',
      previous,
    };
    commits.emit({ erased: [], results: [{ key: { target: 1 }, attempt: ended, state: 'retrying' }] });
    return store.of(1).lastFailure?.excerpt;
  };
  expect(fail(3)).toBe('No');
  commits.emit({ erased: [3], results: [] });
  expect(store.of(1).lastFailure?.excerpt).toBeNull();
  expect([fail(3), fail(null)]).toEqual([null, 'No']);
  clock.time += 2 * MINUTE;
  expect(fail(3)).toBe('No');
});

describe('a target', () => {
  it('is failing if no attempt has succeeded for a minute, and is told of after nine, however few there were from two on', () => {
    attempt(200, 401);
    queued = 1;
    clock.time += 30 * MINUTE;
    expect(failing.isToBeTold(1)).toBe(false);
    attempt(401);
    expect(failing.isToBeTold(1)).toBe(true);
    expect(failing.isFailing(1)).toBe(true);
    attempt(200);
    expect(failing.isToBeTold(1)).toBe(false);
    attempt(401, 401, 401);
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([false, false]);
    clock.time += MINUTE;
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([true, false]);
    clock.time += 8 * MINUTE;
    expect(failing.isToBeTold(1)).toBe(true);
  });

  it('is not blamed for failures of this machine', () => {
    attempt(200);
    for (let i = 0; i < 10; i += 1) failHere();
    queued = 1;
    clock.time += 10 * MINUTE;
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([false, false]);
  });

  it('that rejects only some events is failing if these are half of the latest ten, and never rejects everything', () => {
    attempt(422, 422, 422, 422, 200, 200, 200, 200, 200);
    expect(failing.isFailing(1)).toBe(false);
    attempt(422);
    expect(failing.isFailing(1)).toBe(true);
    clock.time += 30 * MINUTE;
    attempt(422, 200, 422, 422, 422);
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([true, false]);
  });

  it('is judged by its latest attempts for an hour, then only if a delivery is queued', () => {
    attempt(...Array.from({ length: 10 }, () => 500));
    clock.time += 59 * MINUTE;
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([true, true]);
    clock.time += 2 * MINUTE;
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([false, false]);
    queued = 1;
    expect([failing.isFailing(1), failing.isToBeTold(1)]).toEqual([true, true]);
  });
});
