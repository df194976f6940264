import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/** How `net.connect` finds an address. @param find at least one address of a host; or it rejects with an error that has a `code` */
export function lookupBy(find: (host: string) => Promise<LookupAddress[]>): LookupFunction {
  const look = callbackify(find);
  return (host, options, callback) =>
    look(host, (error, found) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
}
