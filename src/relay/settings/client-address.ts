import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Where a request comes from: the address of its connection, or, where that is a trusted proxy's, the last address in
 * `X-Forwarded-For` or `Forwarded` (RFC 7239) that is none. A proxy appends to what the client sent, so these are read from
 * their end, and no further than the first address that is not trusted: what stands before it, anybody may have written.
 */
export class ClientAddress {
  private readonly trusted: readonly Range[];

  /** @param trusted CIDR lists, checked by the settings already */
  constructor(trusted: readonly string[]) {
    this.trusted = trusted.map((range) => ipaddr.parseCIDR(range));
  }

  of({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const remote = readAddress(socket.remoteAddress ?? '') ?? 'unknown';
    if (!this.isTrusted(remote)) return remote;
    const lists = [listOf(headers['x-forwarded-for']), listOf(headers['forwarded']).map(forOf)];
    const told = new Set(lists.filter(({ length }) => length > 0).map((list) => this.clientIn(list, remote)));
    // A proxy writes one of the two and may hand on the other as the client sent it: where they differ, neither is believed.
    const [client = remote, ...others] = told;
    return others.length === 0 ? client : remote;
  }

  private clientIn(hops: readonly string[], remote: string): string {
    let client = remote;
    for (const hop of hops.toReversed()) {
      const address = readAddress(hop);
      if (address === null) return client;
      client = address;
      if (!this.isTrusted(address)) return client;
    }
    return client;
  }

  /** Whether this is a proxy's, which tells whom a request comes from. */
  isTrusted(address: string): boolean {
    if (this.trusted.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    return this.trusted.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
  }
}

const listOf = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((line) => line.split(','));

/** The `for` of one element of `Forwarded`, which quotes an address that has colons. */
const forOf = (element: string): string => /(?:^|;)\s*for="?([^";]*)"?/i.exec(element)?.[1] ?? '';

/** With or without a port, IPv6 in brackets or not; null for a name, or for `unknown`. */
function readAddress(text: string): string | null {
  const bare = text.trim();
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)?.[1] ?? /^([\d.]+)(?::\d+)?$/.exec(bare)?.[1] ?? bare;
  if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return null;
  return ipaddr.process(address).toString();
}
