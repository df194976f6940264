/** Where a server listens. */
export interface Endpoint {
  /** A name, or an address without brackets. */
  host: string;
  port: number;
}

export function endpointOf(url: URL | string): Endpoint {
  const { hostname, port, protocol } = new URL(url);
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}
