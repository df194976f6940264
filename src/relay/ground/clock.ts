import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';

/** The machine's clocks, injected so that tests can control them. To compare times, see {@link TimeBounds}. */
export abstract class Clock {
  /** The wall clock, in ms since 1970: for times that are stored and shown. It may be wrong, and may be set. */
  abstract now(): number;
  /** Ms since an arbitrary moment. Unaffected by changes to the wall clock; it may stop while the machine sleeps. */
  abstract monotonic(): number;
  /** Ms of system sleep that `monotonic` did not count, as far as the system reports it. */
  abstract slept(): number;
}

/**
 * How far `uptime` is ahead of monotonic time. It grows by each sleep on Linux, where only `uptime` continues during
 * sleep (CLOCK_BOOTTIME); elsewhere monotonic time does too.
 */
const uptimeAheadMs = () => (process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0);
const aheadAtStartMs = uptimeAheadMs();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  slept: () => uptimeAheadMs() - aheadAtStartMs,
};
