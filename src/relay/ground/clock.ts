import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';

/** The machine's clocks, handed in so that tests can move them. See {@link TimeBounds} for what to compare them with. */
export abstract class Clock {
  /** The wall clock, in ms since 1970: for what is stored and shown. It may be wrong, and be set at any moment. */
  abstract now(): number;
  /** Ms since any moment. It only goes forward, whatever the wall clock is set to; it may stand while the machine sleeps. */
  abstract monotonic(): number;
  /** For how many ms the machine has slept without `monotonic` noticing, as far as the system tells. */
  abstract slept(): number;
}

/** On Linux `uptime` goes on while the machine sleeps (CLOCK_BOOTTIME); elsewhere the monotonic clock does so itself. */
const unseenMs = () => (process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0);
const unseenAtStartMs = unseenMs();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  slept: () => unseenMs() - unseenAtStartMs,
};
