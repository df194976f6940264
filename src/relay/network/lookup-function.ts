import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/**
 * The `lookup` option of `net.connect` for a resolver.
 * @param resolve resolves to at least one address, or rejects with an error that has a `code`
 */
export function toLookupFunction(resolve: (host: string) => Promise<LookupAddress[]>): LookupFunction {
  const resolveWithCallback = callbackify(resolve);
  return (host, options, callback) =>
    resolveWithCallback(host, (error, found) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
}
