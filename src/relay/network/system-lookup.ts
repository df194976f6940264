import { promises, type LookupAddress } from 'node:dns';

/** Look-ups under way: the process has four threads for them and for its files, and a look-up cannot be called off. */
const AT_ONCE = 2;

/** Asks the system, which may know names in ways of its own (multicast DNS, the name server of a private network). */
export class SystemLookup {
  private underWay = 0;

  /** None where it knows none, takes longer, or is at work on others: nobody waits for those. */
  async find(name: string, withinMs: number): Promise<LookupAddress[]> {
    if (this.underWay === AT_ONCE) return [];
    this.underWay += 1;
    const found = promises
      .lookup(name, { all: true })
      .catch(() => [])
      .finally(() => (this.underWay -= 1));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<LookupAddress[]>((resolve) => {
      timer = setTimeout(() => resolve([]), withinMs);
    });
    try {
      return await Promise.race([found, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
