import type { Clock } from '../ground/clock';
import { TokenBucket } from '../ground/token-bucket';

/** A browser opens six at a time; Co-Pilot's notifications make its network trusted before it has used these up. */
const BURST = 500;
const RATE = { limit: 50, per: 'second' } as const;
const TRUSTED_FOR_MS = 60 * 60_000;
/** In memory; beyond this the one that was not seen for the longest time is dropped. */
const MAX_NETWORKS = 10_000;

interface Network {
  bucket: TokenBucket;
  /** By monotonic time. */
  trustedUntil: number;
}

/** Limits the rate at which each network opens connections. */
export class NewConnections {
  private readonly networks = new Map<string, Network>();

  constructor(private readonly clock: Clock) {}

  /** Counts a connection. @returns false if it is one too many */
  admits(name: string): boolean {
    const now = this.clock.monotonic();
    const { bucket, trustedUntil } = this.seen(name, now);
    return trustedUntil > now || bucket.take(now);
  }

  trust(name: string): void {
    const now = this.clock.monotonic();
    this.seen(name, now).trustedUntil = now + TRUSTED_FOR_MS;
  }

  private seen(name: string, now: number): Network {
    const network = this.networks.get(name) ?? { bucket: new TokenBucket(RATE, now, BURST), trustedUntil: 0 };
    this.networks.delete(name);
    this.networks.set(name, network);
    const [oldest] = this.networks.keys();
    if (this.networks.size > MAX_NETWORKS) this.networks.delete(oldest!);
    return network;
  }
}
