import { promises, type LookupAddress } from 'node:dns';

/** Lookups run on the four libuv threads, shared with file access, and cannot be cancelled. */
const MAX_CONCURRENT = 2;

/**
 * Uses the system resolver, which may support more (multicast DNS, the name server of a private network).
 */
export class SystemLookup {
  private running = 0;

  /** Empty if there are none, on timeout, or if too many lookups are running. */
  async find(name: string, timeoutMs: number): Promise<LookupAddress[]> {
    if (this.running === MAX_CONCURRENT) return [];
    this.running += 1;
    const found = promises
      .lookup(name, { all: true })
      .catch(() => [])
      .finally(() => (this.running -= 1));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<LookupAddress[]>((resolve) => {
      timer = setTimeout(() => resolve([]), timeoutMs);
    });
    try {
      return await Promise.race([found, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
