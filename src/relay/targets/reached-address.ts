import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const wellKnown = (range: string) => ipaddr.IPv6.parseCIDR(range);

/** IPv6 ranges that embed an IPv4 address, the byte at which it begins, and whether its bits are inverted. */
const EMBEDDING: { range: [ipaddr.IPv6, number]; at: number; inverted?: boolean }[] = [
  // IPv4-compatible (RFC 4291, 2.5.5.1) and, one group further left, IPv4-translated (RFC 2765, 2.1).
  { range: wellKnown('::/96'), at: 12 },
  { range: wellKnown('::ffff:0:0:0/96'), at: 12 },
  // NAT64 (RFC 6052, 2.1), and its local prefixes (RFC 8215), of which the /96 is the one in use.
  { range: wellKnown('64:ff9b::/96'), at: 12 },
  { range: wellKnown('64:ff9b:1::/48'), at: 12 },
  // 6to4 (RFC 3056, 2), and the client's address of Teredo (RFC 4380, 4).
  { range: wellKnown('2002::/16'), at: 2 },
  { range: wellKnown('2001::/32'), at: 12, inverted: true },
];

/** These two are not IPv4-compatible addresses, although they are in that range. */
const UNSPECIFIED_OR_LOOPBACK = wellKnown('::/127');

/**
 * The address that is actually reached: the embedded IPv4 address, if there is one.
 * @param text a valid IPv4 or IPv6 address
 */
export function reachedAddress(text: string): Address {
  const address = ipaddr.process(text);
  if (!(address instanceof ipaddr.IPv6) || address.match(UNSPECIFIED_OR_LOOPBACK)) return address;
  const found = EMBEDDING.find(({ range }) => address.match(range));
  if (found === undefined) return address;
  const bytes = address.toByteArray().slice(found.at, found.at + 4);
  return new ipaddr.IPv4(found.inverted === true ? bytes.map((byte) => byte ^ 0xff) : bytes);
}
