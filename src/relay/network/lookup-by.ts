import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/**
 * Adapts a resolver for `net.connect`. @param find resolves to at least one address, or rejects with an
 * error that has a `code`
 */
export function lookupBy(find: (host: string) => Promise<LookupAddress[]>): LookupFunction {
  const look = callbackify(find);
  return (host, options, callback) =>
    look(host, (error, found) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
}
