import type { Clock } from '../../src/relay/ground/clock';

/** Real time, moved on by what a test asks for. */
export class TestClock implements Clock {
  private moved = 0;
  private jumped = 0;
  private lain = 0;

  now(): number {
    return Date.now() + this.moved + this.jumped + this.lain;
  }

  monotonic(): number {
    return performance.now() + this.moved;
  }

  slept(): number {
    return this.lain;
  }

  /** Time passes. */
  move(ms: number): void {
    this.moved += ms;
  }

  /** Somebody sets the wall clock, back where `ms` is negative; no time passes. */
  jump(ms: number): void {
    this.jumped += ms;
  }

  /** Time passes while the machine sleeps: its monotonic clock stands still. */
  sleep(ms: number): void {
    this.lain += ms;
  }
}

/** A clock that stands where it is set, by which time passes as it is set on. */
export const clockAt = (read: () => number): Clock => ({ now: read, monotonic: read, slept: () => 0 });
