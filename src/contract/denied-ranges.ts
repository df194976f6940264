/**
 * Ranges that no target is in by default, by what they are. An IPv6 address that contains one of the IPv4 addresses is
 * denied, too.
 */
export const DENIED_RANGES: Record<string, string[]> = {
  // Site-local ones included.
  'link-local': ['169.254.0.0/16', 'fe80::/10', 'fec0::/10'],
  // Addresses of metadata services that are not link-local: Alibaba, Azure, Oracle, Amazon, Google, Linode, Scaleway.
  metadata: [
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    'fd00:c1::/32',
    'fd00:ec2::/32',
    'fd20:ce::/64',
    'fd00:a9fe:a9fe::/48',
    'fd00:42::42/128',
  ],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  unspecified: ['0.0.0.0/8', '::/128'],
  // Broadcast included, and what is not routed (IANA IPv4 and IPv6 Special-Purpose Address Registries): documentation,
  // benchmarks, 6to4 relays, discard-only, ORCHID, segment routing.
  reserved: [
    '240.0.0.0/4',
    '192.0.2.0/24',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '192.88.99.0/24',
    '2001:2::/48',
    '2001:10::/28',
    '2001:20::/28',
    '2001:db8::/32',
    '3fff::/20',
    '100::/63',
    '5f00::/16',
  ],
};
