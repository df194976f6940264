import { promises, type LookupAddress } from 'node:dns';
import { withTimeout } from '../ground/with-timeout';

/** Lookups cannot be cancelled, and run on the four libuv threads, which file access shares. */
const MAX_CONCURRENT = 2;

/**
 * Uses the system resolver, which may find more names, such as those of multicast DNS or of a private network.
 */
export class SystemLookup {
  private running = 0;

  /** Empty if the name has no addresses, at the timeout, or if too many lookups are running. */
  async find(name: string, timeoutMs: number): Promise<LookupAddress[]> {
    if (this.running === MAX_CONCURRENT) return [];
    this.running += 1;
    const found = promises
      .lookup(name, { all: true })
      .catch(() => [])
      .finally(() => (this.running -= 1));
    return withTimeout(found, timeoutMs, []);
  }
}
