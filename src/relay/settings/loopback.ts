import ipaddr from 'ipaddr.js';

/** Whether requests to this URL leave the machine without encryption. */
export function isUnencrypted(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopbackName(hostname);
}

/** Whether a host name always means this machine: `localhost`, a subdomain of it, or a loopback address. */
export function isLoopbackName(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}
