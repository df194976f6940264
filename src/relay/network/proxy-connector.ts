import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { isLoopbackName } from '../settings/loopback';
import { endpointOf } from './endpoint';
import { openTunnel } from './open-tunnel';
import type { ProxyServer } from './outgoing-proxy';

interface ProxyConnectorOptions {
  proxy: ProxyServer;
  /** The addresses to which the tunnel may lead, in the order of attempts; null: the proxy resolves the name. */
  resolve: ((host: string) => Promise<LookupAddress[]>) | null;
  /** Resolves the name of the proxy. */
  lookup: LookupFunction;
  /** Of connections that do not use the proxy after all. */
  direct: buildConnector.connector;
  /** TLS options and the time limit in ms. */
  connect: buildConnector.BuildOptions & { timeout: number };
}

/**
 * A connector of undici that connects through a proxy. The tunnel leads to an address that `resolve` has returned, so
 * that the proxy cannot reach another one by resolving the name again; TLS and `Host` still use the name. This
 * machine's own addresses are not tunnelled: at the proxy they would mean the proxy.
 */
export function proxyConnector(options: ProxyConnectorOptions): buildConnector.connector {
  const { proxy, resolve, lookup, direct, connect } = options;
  const upgrade = buildConnector(connect);
  const openWithCallback = callbackify(open);
  return (to, callback) => {
    const { host, port } = endpointOf(to);
    openWithCallback(host, port, (error, socket) => {
      if (error !== null) callback(error, null);
      else if (socket === null) direct(to, callback);
      else if (to.protocol === 'https:') upgrade({ ...to, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };

  /** Null for an address of this machine. */
  async function open(host: string, port: number) {
    const found =
      resolve === null || ipaddr.isValid(host) ? [host] : (await resolve(host)).map(({ address }) => address);
    if (found.some(isLoopbackName)) return null;
    let failure: unknown;
    for (const address of found) {
      try {
        return await openTunnel(proxy, { host: address, port }, { lookup, timeoutMs: connect.timeout });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}
