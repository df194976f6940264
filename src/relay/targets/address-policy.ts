import ipaddr from 'ipaddr.js';
import { PRIVATE_RANGES } from '../settings/private-ranges';
import { reachedAddress } from './reached-address';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** `private`: it would be permitted, were it not an address of a private network or of this machine. */
type Refusal = 'denied' | 'private';

const PRIVATE = PRIVATE_RANGES.map((range): Range => ipaddr.parseCIDR(range));

/** Which addresses targets may resolve to. Deny wins. */
export class AddressPolicy {
  private readonly allow: Range[];
  private readonly deny: Range[];
  private readonly allowsPublic: boolean;

  /** CIDR lists, checked by the settings already; `public` and `private` in `allow` stand for what they say. */
  constructor(allow: readonly string[], deny: readonly string[]) {
    this.allowsPublic = allow.includes('public');
    this.allow = allow.flatMap((range): Range[] => {
      if (range === 'private') return PRIVATE;
      return range === 'public' ? [] : [ipaddr.parseCIDR(range)];
    });
    this.deny = deny.map((range) => ipaddr.parseCIDR(range));
  }

  permits(address: string): boolean {
    return this.refusal(address) === null;
  }

  /**
   * Why an address is refused, or null. Every spelling of it is judged as the address that is reached: mapped, translated
   * and tunnelled IPv4 too.
   */
  refusal(address: string): Refusal | null {
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

/** The private range that holds an address that was refused as private. */
export function privateRangeOf(address: string): string {
  const reached = reachedAddress(address);
  return PRIVATE_RANGES[PRIVATE.findIndex((range) => covers(range, reached))]!;
}

function covers([network, bits]: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
