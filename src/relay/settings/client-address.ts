import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

type Connected = Pick<IncomingMessage, 'socket'>;

/**
 * The client address of a request: the peer address of its connection or, if that is a trusted proxy, the last
 * untrusted address in `X-Forwarded-For` or `Forwarded` (RFC 7239). Proxies append to what the client sent, so these
 * are read from the end, up to the first untrusted address: anything before it may be forged.
 */
export class ClientAddress {
  private readonly trusted: readonly Range[];

  /**
   * @param trusted CIDR list, already validated
   * @param forwardedPeer the peer of the connection whose request another daemon forwards on this one; null if none
   * does
   */
  constructor(
    trusted: readonly string[],
    private readonly forwardedPeer: (socket: Socket) => string | null = () => null,
  ) {
    this.trusted = trusted.map((range) => ipaddr.parseCIDR(range));
  }

  of(request: Connected & Pick<IncomingMessage, 'headers'>): string {
    const { headers } = request;
    const remote = this.peerOf(request);
    if (!this.isTrusted(remote)) return remote;
    const lists = [listOf(headers['x-forwarded-for']), listOf(headers['forwarded']).map(forOf)];
    const claimed = new Set(
      lists.filter(({ length }) => length > 0).map((list) => this.clientIn(list, remote)),
    );
    // A proxy sets one of the two headers, and may pass on the other as the client sent it. So if they differ,
    // neither is trusted.
    const [client = remote, ...others] = claimed;
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

  /** Whether a trusted proxy sent this request, so that the headers which it sets can be believed. */
  isFromProxy(request: Connected): boolean {
    return this.isTrusted(this.peerOf(request));
  }

  private peerOf({ socket }: Connected): string {
    return readAddress(this.forwardedPeer(socket) ?? socket.remoteAddress ?? '') ?? 'unknown';
  }

  /** Whether this is the address of a trusted proxy. */
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
