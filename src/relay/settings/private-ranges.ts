/**
 * Ranges outside the public Internet: private (RFC 1918, 4193), shared and internal (RFC 6598, 6890, 2544),
 * loopback.
 */
export const PRIVATE_RANGES: readonly string[] = [
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
