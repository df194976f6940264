import ipaddr from 'ipaddr.js';
import { StartupError } from '../ground/relay-error';
import type { Settings } from './settings';

/**
 * With users, no range of trusted proxies may include a daemon on another machine only because it is wide: what that
 * machine sends would count as the proxy's. A single address is trusted on purpose, such as that of a machine with a
 * daemon and a proxy.
 * @param daemons their addresses
 * @throws StartupError if one does
 */
export function checkTrustedProxies(
  { trustedProxies, userHeaders }: Pick<Settings, 'trustedProxies' | 'userHeaders'>,
  daemons: readonly string[],
): void {
  if (userHeaders === null) return;
  for (const text of trustedProxies) {
    const [range, bits] = ipaddr.parseCIDR(text);
    const included = daemons.find((daemon) => {
      const address = ipaddr.process(daemon);
      return address.range() !== 'loopback' && address.kind() === range.kind() && address.match(range, bits);
    });
    if (included === undefined || bits === range.toByteArray().length * 8) continue;
    throw new StartupError({
      where: 'SWITCHBOARD_TRUSTED_PROXIES',
      what: `The range ${text} includes a daemon of this hub (${included}), and whoever connects from it could name any user.`,
      remedy: 'Set it to the address of the proxy alone, such as 10.0.0.5/32.',
    });
  }
}
