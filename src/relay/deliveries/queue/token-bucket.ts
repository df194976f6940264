import type { TargetPolicy } from '../../../contract/target-policy';

const PERIOD_MS = { second: 1_000, minute: 60_000 } as const;

/** What may go out at once after a pause: the part of the rate that falls into so long, and one at least. */
const BURST_MS = 100;

/** Keeps sending within a rate. Monotonic time, in ms, comes from its caller. */
export class TokenBucket {
  private readonly perMs: number;
  private readonly capacity: number;
  private tokens: number;

  constructor(
    { limit, per }: NonNullable<TargetPolicy['rate']>,
    private countedAt: number,
  ) {
    this.perMs = limit / PERIOD_MS[per];
    this.capacity = Math.max(1, this.perMs * BURST_MS);
    this.tokens = this.capacity;
  }

  /** How many there are. */
  available(now: number): number {
    this.refill(now);
    return Math.floor(this.tokens);
  }

  /** Takes one where there is one. */
  take(now: number): boolean {
    this.refill(now);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** How long until there is one, in ms; 0 where there is one now. */
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
