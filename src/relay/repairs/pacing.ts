import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../ground/clock';

const POLL_MS = 100;

/** Waits until a time by the monotonic clock, which tests advance. @throws AbortError once `signal` is aborted */
export async function waitUntil(at: number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let left = at - clock.monotonic(); left > 0; left = at - clock.monotonic())
    await wait(Math.min(left, POLL_MS), undefined, { signal });
  signal.throwIfAborted();
}

/** Lets a number of calls per second pass, one at a time. */
export class Pace {
  private nextAt: number;

  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {
    this.nextAt = clock.monotonic();
  }

  /** Resolves when the next call may be made. @throws AbortError */
  async next(): Promise<void> {
    await waitUntil(this.nextAt, this.clock, this.signal);
    this.nextAt = Math.max(this.nextAt, this.clock.monotonic() - 1_000) + 1_000 / this.perSecond;
  }
}
