import type { LookupAddress } from 'node:dns';
import { buildConnector } from 'undici';
import { toLookupFunction } from './host-addresses';
import type { ProxyServer } from './outgoing-proxy';
import { proxyConnector } from './proxy-connector';

/** How a URL is reached. */
export interface Route {
  /** Null for a direct connection. */
  proxy: ProxyServer | null;
  /** The addresses of the URL's host that may be connected to, at least one. */
  resolve: (host: string) => Promise<LookupAddress[]>;
  resolveProxy: (host: string) => Promise<LookupAddress[]>;
}

type ConnectOptions = buildConnector.BuildOptions & { timeout: number };

/** How undici connects by a route. @param connect TLS options and the time limit in ms */
export function connectorBy(
  { proxy, resolve, resolveProxy }: Route,
  connect: ConnectOptions,
): buildConnector.connector {
  const direct = buildConnector({ ...connect, lookup: toLookupFunction(resolve) });
  if (proxy === null) return direct;
  return proxyConnector({ proxy, resolve, lookup: toLookupFunction(resolveProxy), direct, connect });
}
