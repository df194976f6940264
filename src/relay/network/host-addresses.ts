import type { LookupAddress } from 'node:dns';
import type { Clock } from '../ground/clock';
import { AddressResolver, type LookupOutcome } from './address-resolver';
import { toLookupFunction } from './lookup-function';
import { LookupError } from './query-addresses';

const MAX_CACHED_NAMES = 1_000;

/**
 * Resolves host names for all outgoing connections. Lookups are independent: a name server that does not
 * respond for one name delays only requests for that name.
 */
export class HostAddresses {
  /** By name, oldest first; `until` is monotonic time. */
  private readonly cache = new Map<string, { result: LookupOutcome['result']; until: number }>();
  private readonly running = new Map<string, Promise<LookupOutcome['result']>>();
  private readonly resolver: AddressResolver;

  /** @param servers used instead of the machine's name servers and the system resolver */
  constructor(
    private readonly clock: Clock,
    servers: readonly string[] | null = null,
  ) {
    this.resolver = new AddressResolver(servers);
  }

  /** The addresses of a host name, at least one. @throws LookupError */
  async resolve(host: string): Promise<LookupAddress[]> {
    const name = host.toLowerCase();
    const cached = this.cache.get(name);
    const result =
      cached !== undefined && this.clock.monotonic() < cached.until
        ? cached.result
        : await this.resolveShared(name);
    if (result instanceof LookupError) throw result;
    return result;
  }

  /** For `net.connect`. */
  readonly lookup = toLookupFunction((host) => this.resolve(host));

  /** Concurrent callers share one lookup. */
  private resolveShared(name: string): Promise<LookupOutcome['result']> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const lookup = this.resolver
      .resolve(name)
      .then(({ result, ttlMs }) => {
        this.store(name, result, ttlMs);
        return result;
      })
      .finally(() => this.running.delete(name));
    this.running.set(name, lookup);
    return lookup;
  }

  private store(name: string, result: LookupOutcome['result'], ttlMs: number): void {
    this.cache.delete(name);
    this.cache.set(name, { result, until: this.clock.monotonic() + ttlMs });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_CACHED_NAMES) this.cache.delete(oldest!);
  }
}
