import type { Clock } from '../ground/clock';

/** A browser opens six at a time; Co-Pilot's notifications make its network trusted before it has used these up. */
const BURST = 500;
const PER_SECOND = 50;
const TRUSTED_FOR_MS = 60 * 60_000;
/** In memory; beyond this the one that was not seen for the longest time is dropped. */
const MAX_NETWORKS = 10_000;

interface Network {
  /** How many connections it may open at once. */
  credit: number;
  /** When that was computed, by monotonic time. */
  at: number;
  trustedUntil: number;
}

/** Limits the rate at which each network opens connections. */
export class NewConnections {
  private readonly networks = new Map<string, Network>();

  constructor(private readonly clock: Clock) {}

  /** Counts a connection. @returns false if it is one too many */
  admits(name: string): boolean {
    const network = this.refilled(name);
    if (network.trustedUntil > network.at) return true;
    if (network.credit < 1) return false;
    network.credit -= 1;
    return true;
  }

  trust(name: string): void {
    this.refilled(name).trustedUntil = this.clock.monotonic() + TRUSTED_FOR_MS;
  }

  private refilled(name: string): Network {
    const now = this.clock.monotonic();
    const { credit, at, trustedUntil } = this.networks.get(name) ?? {
      credit: BURST,
      at: now,
      trustedUntil: 0,
    };
    const network = {
      credit: Math.min(BURST, credit + ((now - at) / 1_000) * PER_SECOND),
      at: now,
      trustedUntil,
    };
    this.networks.delete(name);
    this.networks.set(name, network);
    const [oldest] = this.networks.keys();
    if (this.networks.size > MAX_NETWORKS) this.networks.delete(oldest!);
    return network;
  }
}
