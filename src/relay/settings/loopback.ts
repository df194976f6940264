import ipaddr from 'ipaddr.js';

/** Whether a URL's host name can only mean this machine: `localhost`, below it, or a loopback literal. */
export function isLoopbackName(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}
