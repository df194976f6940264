import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** NAT64 (RFC 6052): the last 32 bits are the IPv4 address that is really reached. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Which addresses targets may resolve to. Deny wins. */
export class AddressPolicy {
  private readonly allow: Range[];
  private readonly deny: Range[];

  /** CIDR lists, checked by the settings already. */
  constructor(allow: readonly string[], deny: readonly string[]) {
    this.allow = allow.map((range) => ipaddr.parseCIDR(range));
    this.deny = deny.map((range) => ipaddr.parseCIDR(range));
  }

  /** Every spelling of an address is judged as the address that is reached: mapped and translated IPv4 too. */
  permits(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const reached = unwrap(ipaddr.process(address));
    const within = (ranges: Range[]) => ranges.some((range) => covers(range, reached));
    return within(this.allow) && !within(this.deny);
  }
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv6' && address.match(NAT64)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12));
  }
  return address;
}

function covers([network, bits]: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
