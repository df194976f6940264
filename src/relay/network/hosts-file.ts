import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';

const FILE =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** The addresses of a name in the hosts file, if any. */
export async function inHostsFile(name: string): Promise<LookupAddress[]> {
  const text = await readFile(FILE, 'utf8').catch(() => '');
  return hostsEntries(text, name);
}

/** @param text as in hosts(5): an address and its names per line */
export function hostsEntries(text: string, name: string): LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!names.some((one) => one.toLowerCase() === name) || !ipaddr.isValid(address)) return [];
    return { address, family: ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4 };
  });
}
