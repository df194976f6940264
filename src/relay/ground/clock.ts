import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';

/** The machine's clocks, injected so that tests can control them. See {@link TimeBounds} for what to compare them with. */
export abstract class Clock {
  /** The wall clock, in ms since 1970: for times that are stored and shown. It may be wrong and may be set at any moment. */
  abstract now(): number;
  /** Ms since an arbitrary moment. Unaffected by changes to the wall clock; it may stop while the machine sleeps. */
  abstract monotonic(): number;
  /** Ms of sleep that `monotonic` did not count, as far as the system reports it. */
  abstract slept(): number;
}

/** On Linux `uptime` keeps counting during sleep (CLOCK_BOOTTIME); elsewhere the monotonic clock does. */
const unseenMs = () => (process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0);
const unseenAtStartMs = unseenMs();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  slept: () => unseenMs() - unseenAtStartMs,
};
