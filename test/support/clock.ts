import type { Clock } from '../../src/relay/ground/clock';

/** Real time that tests can advance, and stop where nothing may become due on a busy machine. */
export class TestClock implements Clock {
  private moved = 0;
  private jumped = 0;
  private sleptMs = 0;
  private stopped: { wall: number; monotonic: number } | null = null;

  now(): number {
    return (this.stopped?.wall ?? Date.now()) + this.moved + this.jumped + this.sleptMs;
  }

  monotonic(): number {
    return (this.stopped?.monotonic ?? performance.now()) + this.moved;
  }

  slept(): number {
    return this.sleptMs;
  }

  /** From now on time passes only when it is moved. */
  stop(): void {
    this.stopped ??= { wall: Date.now(), monotonic: performance.now() };
  }

  /** Lets time pass by itself again. */
  resume(): void {
    if (this.stopped === null) return;
    const { wall, monotonic } = this.stopped;
    this.stopped = null;
    // Neither clock shows the time in between, in whole milliseconds.
    const passedMs = Math.floor(performance.now() - monotonic);
    this.moved -= passedMs;
    this.jumped += wall + passedMs - Date.now();
  }

  /** Lets time pass. */
  move(ms: number): void {
    this.moved += ms;
  }

  /** Lets waits end without the look of a downtime: the time of day stays. */
  skip(ms: number): void {
    this.move(ms);
    this.jump(-ms);
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
