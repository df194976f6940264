import { lookup as find, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** The code of the error when a name leads to other machines only. */
export const NOT_LOCAL = 'ERR_NOT_LOCAL';

const isLocal = (address: string) => LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Asked at each connect, so that a name that leads elsewhere later is noticed. */
export const lookupLocal: LookupFunction = (host, options, callback) => {
  find(host, { ...options, all: true }, (error, found?: LookupAddress[]) => {
    const local = (found ?? []).filter(({ address }) => isLocal(address));
    const failure = error ?? (local.length === 0 ? notLocal(host) : null);
    if (failure !== null) callback(failure, '');
    else if (options.all === true) callback(null, local);
    else callback(null, local[0]!.address, local[0]!.family);
  });
};

/** Node connects to an IP address without a lookup. */
export const isOtherMachine = (host: string): boolean => isIP(host) !== 0 && !isLocal(host);

const notLocal = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} is not on this machine`), { code: NOT_LOCAL });
