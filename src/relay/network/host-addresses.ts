import type { LookupAddress } from 'node:dns';
import type { Clock } from '../ground/clock';
import { FindAddresses, type Answer } from './find-addresses';
import { lookupBy } from './lookup-by';
import { LookupError } from './query-addresses';

/** Names whose answers are kept. */
const KEPT = 1_000;

/**
 * The addresses behind names, for every connection that the daemon makes. No look-up waits for another: a name server that
 * does not answer for one name holds up only those who want that name.
 */
export class HostAddresses {
  /** In the order in which they were learnt; until when they hold, by monotonic time. */
  private readonly kept = new Map<string, { found: Answer['found']; until: number }>();
  private readonly asking = new Map<string, Promise<Answer['found']>>();
  private readonly sources: FindAddresses;

  /** @param servers asked in place of whatever this machine knows names by, but for its hosts file */
  constructor(
    private readonly clock: Clock,
    servers: readonly string[] | null = null,
  ) {
    this.sources = new FindAddresses(servers);
  }

  /** One at least. @throws LookupError */
  async of(host: string): Promise<LookupAddress[]> {
    const name = host.toLowerCase();
    const kept = this.kept.get(name);
    const found =
      kept !== undefined && this.clock.monotonic() < kept.until ? kept.found : await this.ask(name);
    if (found instanceof LookupError) throw found;
    return found;
  }

  /** For `net.connect`. */
  readonly lookup = lookupBy((host) => this.of(host));

  /** Whoever asks meanwhile gets the same answer. */
  private ask(name: string): Promise<Answer['found']> {
    const under = this.asking.get(name);
    if (under !== undefined) return under;
    const asked = this.sources
      .find(name)
      .then(({ found, forMs }) => {
        this.keep(name, found, forMs);
        return found;
      })
      .finally(() => this.asking.delete(name));
    this.asking.set(name, asked);
    return asked;
  }

  private keep(name: string, found: Answer['found'], forMs: number): void {
    this.kept.delete(name);
    this.kept.set(name, { found, until: this.clock.monotonic() + forMs });
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT) this.kept.delete(oldest!);
  }
}
