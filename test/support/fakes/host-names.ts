import type { LookupAddress } from 'node:dns';

/** A name server does not respond for this name: its lookup hangs. */
export const SILENT = Symbol('silent');

/** What the system knows of host names, for `HostAddresses`. Only these exist, and `localhost`. */
export class HostNames {
  readonly addresses: Map<string, string[] | typeof SILENT>;
  /** The lookups so far, in order. */
  readonly lookups: string[] = [];

  constructor(addresses: Record<string, string[] | typeof SILENT> = {}) {
    this.addresses = new Map(Object.entries({ localhost: ['127.0.0.1'], ...addresses }));
  }

  readonly find = async (name: string): Promise<LookupAddress[]> => {
    this.lookups.push(name);
    const found = this.addresses.get(name);
    if (found === SILENT) return new Promise<never>(() => undefined);
    if (found === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };

  /** The number of lookups of a name. */
  countOf(name: string): number {
    return this.lookups.filter((one) => one === name).length;
  }
}
