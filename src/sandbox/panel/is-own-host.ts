import { isIP } from 'node:net';

/**
 * Whether a request's `Host` is no name that somebody else could have pointed here (DNS rebinding): an address, or a name
 * without a dot, as `localhost` and those of containers are, which no stranger can register.
 */
export function isOwnHost(host: string | undefined): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d+)?$/
    .exec(host ?? '')
    ?.slice(1)
    .find(Boolean);
  return name !== undefined && (isIP(name) !== 0 || !name.includes('.'));
}
