import type { TargetPolicy } from '../../../contract/target-policy';
import type { Clock } from '../../ground/clock';
import { TokenBucket } from '../../ground/token-bucket';

type Rate = TargetPolicy['rate'];

/** Limits sending to a target's rate, and calls back when the next token is available. */
export class RateLimiter {
  private bucket: TokenBucket | null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private rate: Rate,
    private readonly clock: Clock,
    private readonly onToken: () => void,
  ) {
    this.bucket = this.newBucket();
  }

  update(rate: Rate): void {
    if (rate?.limit === this.rate?.limit && rate?.per === this.rate?.per) return;
    this.rate = rate;
    this.bucket = this.newBucket();
  }

  /** Whether a token is available. If not, `onToken` is called as soon as one is. */
  hasToken(): boolean {
    if (this.bucket === null) return true;
    const waitMs = this.bucket.waitMs(this.clock.monotonic());
    if (waitMs === 0) return true;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.onToken();
    }, waitMs);
    return false;
  }

  /** Takes a token. */
  take(): void {
    this.bucket?.take(this.clock.monotonic());
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private newBucket(): TokenBucket | null {
    return this.rate === null ? null : new TokenBucket(this.rate, this.clock.monotonic());
  }
}
