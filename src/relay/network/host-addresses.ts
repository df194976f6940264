import type { LookupAddress } from 'node:dns';
import type { Clock } from '../ground/clock';
import { FindAddresses, type LookupOutcome } from './find-addresses';
import { lookupBy } from './lookup-by';
import { LookupError } from './query-addresses';

/** Cached names. */
const MAX_CACHED = 1_000;

/**
 * Resolves host names for all outgoing connections. Lookups are independent: a name server that does not
 * answer for one name delays only requests for that name.
 */
export class HostAddresses {
  /** In insertion order; `until` is monotonic. */
  private readonly cache = new Map<string, { found: LookupOutcome['found']; until: number }>();
  private readonly running = new Map<string, Promise<LookupOutcome['found']>>();
  private readonly sources: FindAddresses;

  /** @param servers used instead of everything but the hosts file */
  constructor(
    private readonly clock: Clock,
    servers: readonly string[] | null = null,
  ) {
    this.sources = new FindAddresses(servers);
  }

  /** Never empty. @throws LookupError */
  async of(host: string): Promise<LookupAddress[]> {
    const name = host.toLowerCase();
    const cached = this.cache.get(name);
    const found =
      cached !== undefined && this.clock.monotonic() < cached.until ? cached.found : await this.find(name);
    if (found instanceof LookupError) throw found;
    return found;
  }

  /** For `net.connect`. */
  readonly lookup = lookupBy((host) => this.of(host));

  /** Concurrent callers share one lookup. */
  private find(name: string): Promise<LookupOutcome['found']> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const lookup = this.sources
      .find(name)
      .then(({ found, ttlMs }) => {
        this.store(name, found, ttlMs);
        return found;
      })
      .finally(() => this.running.delete(name));
    this.running.set(name, lookup);
    return lookup;
  }

  private store(name: string, found: LookupOutcome['found'], ttlMs: number): void {
    this.cache.delete(name);
    this.cache.set(name, { found, until: this.clock.monotonic() + ttlMs });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_CACHED) this.cache.delete(oldest!);
  }
}
