import ipaddr from 'ipaddr.js';

/** Whether a host name always means this machine: `localhost`, a subdomain of it, or a loopback address. */
export function isLoopbackName(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}
