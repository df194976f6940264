import type { Clock } from '../../src/relay/ground/clock';

/** Real time that tests can advance. */
export class TestClock implements Clock {
  private moved = 0;
  private jumped = 0;
  private sleptMs = 0;

  now(): number {
    return Date.now() + this.moved + this.jumped + this.sleptMs;
  }

  monotonic(): number {
    return performance.now() + this.moved;
  }

  slept(): number {
    return this.sleptMs;
  }

  /** Lets time pass. */
  move(ms: number): void {
    this.moved += ms;
  }

  /** Sets the wall clock, back if `ms` is negative; no time passes. */
  jump(ms: number): void {
    this.jumped += ms;
  }

  /** Lets time pass while the machine sleeps: its monotonic clock stops. */
  sleep(ms: number): void {
    this.sleptMs += ms;
  }
}

/** A stopped clock that tests set. */
export class FixedClock implements Clock {
  /** The offset of the wall clock, in ms. */
  jumped = 0;

  constructor(public time = Date.UTC(2026, 10, 20, 12)) {}

  now(): number {
    return this.time + this.jumped;
  }

  monotonic(): number {
    return this.time;
  }

  slept(): number {
    return 0;
  }
}

/** A clock that shows what `read` returns. */
export const clockAt = (read: () => number): Clock => ({ now: read, monotonic: read, slept: () => 0 });
