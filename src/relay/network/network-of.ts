import ipaddr from 'ipaddr.js';

/**
 * A key that is equal for all addresses of one client, for limits per client: the IPv4 address, or the first 64 bits
 * of the IPv6 address, since providers assign at least a /64 to each customer. It is only for comparison: the IPv6
 * key is not a valid prefix, and text that is no address is its own key.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/**
 * Whether an address is on the public Internet. A private one may be that of a proxy or gateway, behind which there
 * are many clients, so limits per client do not apply to it.
 */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
