import ipaddr from 'ipaddr.js';
import { reachedAddress } from './reached-address';

/** Error codes of denied connections. */
export const ADDRESS_DENIED = 'ERR_ADDRESS_DENIED';
export const OWN_INTAKE = 'ERR_OWN_INTAKE';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** `private`: denied only because it belongs to a private network or to this machine. */
type DenialReason = 'denied' | 'private';

/**
 * Ranges outside the public Internet: private (RFC 1918, 4193), shared and internal (RFC 6598, 6890, 2544), loopback.
 */
const PRIVATE_RANGES: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '198.18.0.0/15',
  '::1/128',
  'fc00::/7',
];

const PRIVATE = PRIVATE_RANGES.map((range): Range => ipaddr.parseCIDR(range));

/** Which addresses targets may resolve to. Denied ranges take precedence over allowed ones. */
export class AddressRules {
  private readonly allow: Range[];
  private readonly deny: Range[];
  private readonly allowsPublic: boolean;

  /** Valid CIDR lists; `allow` may also contain `public` and `private`. */
  constructor(allow: readonly string[], deny: readonly string[]) {
    this.allowsPublic = allow.includes('public');
    this.allow = allow.flatMap((range): Range[] => {
      if (range === 'private') return PRIVATE;
      return range === 'public' ? [] : [ipaddr.parseCIDR(range)];
    });
    this.deny = deny.map((range) => ipaddr.parseCIDR(range));
  }

  permits(address: string): boolean {
    return this.denialReason(address) === null;
  }

  /**
   * Why an address is denied; null if it is permitted. Mapped, translated and tunnelled IPv4 addresses are classified
   * as the IPv4 address that is reached.
   */
  denialReason(address: string): DenialReason | null {
    if (!ipaddr.isValid(address)) return 'denied';
    const reached = reachedAddress(address);
    const within = (ranges: Range[]) => ranges.some((range) => covers(range, reached));
    if (within(this.deny)) return 'denied';
    if (within(this.allow)) return null;
    const isPrivate = within(PRIVATE);
    if (this.allowsPublic && !isPrivate) return null;
    return isPrivate ? 'private' : 'denied';
  }
}

/** The private range of an address that was denied as private. */
export function privateRangeOf(address: string): string {
  const reached = reachedAddress(address);
  return PRIVATE_RANGES[PRIVATE.findIndex((range) => covers(range, reached))]!;
}

function covers([network, bits]: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
