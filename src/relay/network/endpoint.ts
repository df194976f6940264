/** Where a server listens. */
export interface Endpoint {
  /** A name, or an address without brackets. */
  host: string;
  port: number;
}

/** @param url or its parts; a port that it does not name is that of its protocol */
export function endpointOf(url: string | Pick<URL, 'hostname' | 'port' | 'protocol'>): Endpoint {
  const { hostname, port, protocol } = typeof url === 'string' ? new URL(url) : url;
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** A host as it is written in a URL: an IPv6 address in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
