import type { TargetPolicy } from '../../contract/target-policy';

const PERIOD_MS = { second: 1_000, minute: 60_000 } as const;

/** After a pause, a burst is allowed by default of as many as the rate allows in this time, but at least one. */
const BURST_MS = 100;

/** Limits a rate. Callers pass monotonic time in ms. */
export class TokenBucket {
  private readonly perMs: number;
  private readonly capacity: number;
  private tokens: number;

  /** @param burst how many tokens there are at most */
  constructor(
    { limit, per }: NonNullable<TargetPolicy['rate']>,
    private countedAt: number,
    burst?: number,
  ) {
    this.perMs = limit / PERIOD_MS[per];
    this.capacity = burst ?? Math.max(1, this.perMs * BURST_MS);
    this.tokens = this.capacity;
  }

  available(now: number): number {
    this.refill(now);
    return Math.floor(this.tokens);
  }

  /** Takes a token. @returns false if there is none */
  take(now: number): boolean {
    this.refill(now);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** The time until a token is available, in ms. */
  waitMs(now: number): number {
    this.refill(now);
    return this.tokens >= 1 ? 0 : Math.ceil((1 - this.tokens) / this.perMs);
  }

  private refill(now: number): void {
    const passed = now - this.countedAt;
    this.countedAt = now;
    this.tokens = Math.min(this.capacity, this.tokens + passed * this.perMs);
  }
}
