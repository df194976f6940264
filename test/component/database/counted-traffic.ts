import { type ScratchStore, draft, to, result } from '../../support/daemon/scratch-journal';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import type { DataSource } from 'typeorm';
import { LatestAttemptsStore } from '../../../src/relay/deliveries/latest-attempts.store';
import { TrafficHistoryStore } from '../../../src/relay/stats/traffic-history.store';
import type { StatsPeriod } from '../../../src/contract/stats';
import { TrafficWorker } from '../../../src/relay/stats/traffic.worker';
import { pino } from 'pino';
import type { AttemptRecord } from '../../../src/relay/database/journal/journal';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Events are counted in passes of this size. */
export const PASS = 1_000;

export let scratch: ScratchStore;
export let bounds: TimeBounds;

/** Counts in this store from now on. */
export function countIn(store: ScratchStore): void {
  scratch = store;
  bounds = new TimeBounds(store.clock);
}

/** Counts in a store of its own in each test. */
export function useScratch(open: () => Promise<ScratchStore>): void {
  beforeEach(async () => countIn(await open()));
  afterEach(() => scratch.remove());
}

/** As a daemon makes it at its start. */
export const latestAttempts = (source = {} as DataSource) => {
  const targets = { onChange: () => {}, byNumber: () => ({}) };
  return new LatestAttemptsStore(
    source,
    targets as never,
    scratch.clock,
    bounds,
    { mask: null } as never,
    scratch.journal,
  );
};

export const history = () => {
  const all = [1, 2].map((number) => ({ number, id: `tgt_${number}` }));
  const targets = { all: () => all, byId: (wanted: string) => all.find(({ id }) => id === wanted) };
  return new TrafficHistoryStore(
    scratch.reader,
    { endedAfter: async () => [] } as never,
    targets as never,
    scratch.clock,
    latestAttempts(),
    { dead: () => 0 } as never,
  );
};
export const series = (period: StatsPeriod) => history().series({ period });
export const total = async (period: StatsPeriod = 'hour') => (await series(period)).total;

/** Runs the daemon's worker from `scratch.clock.time` on, at its usual interval. */
export async function runFor(ms: number): Promise<void> {
  const upkeep = new TrafficWorker(scratch.journal, scratch.clock, bounds, pino({ level: 'silent' }));
  await upkeep.tick();
  for (let left = ms; left > 0; left -= 20_000) {
    scratch.clock.time += Math.min(left, 20_000);
    await upkeep.tick();
  }
}

export const append = (n: number, targets: number[] = []) =>
  scratch.journal.append(draft(n, { receivedAt: scratch.clock.time }), to(...targets));

export const appendMany = (from: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => append(from + i)));

export const errorsOf = async (target: number, period: StatsPeriod = 'hour') => {
  const { attempts, data } = await history().errorsOf(`tgt_${target}`, { period });
  return [attempts, ...data.map(({ error, ...counted }) => [error, counted.attempts, counted.latest_at])];
};

/** A failed attempt to deliver `event` to target 1, `after` ms from now. */
export const failure = (event: number, status: number | null, error: AttemptRecord['error'], after = 0) => ({
  ...result(event, 1, { state: 'dead' }),
  attempt: { ...attemptAt(scratch.clock.time + after), durationMs: 0, status, error },
});

export const attemptAt = (ended: number) => ({
  number: 1,
  at: ended,
  durationMs: 5,
  status: 204,
  error: null,
  excerpt: null,
  transform: null,
  previous: null,
});
