import { readText } from './files';
import type { Hub } from './hub';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A `fetch` that goes through the proxy of the environment, which Node's own ignores, and trusts the hub's `caFile`. */
export async function fetcherFor({ url, caFile }: Hub): Promise<Fetch> {
  const { HTTPS_PROXY, https_proxy: lowercase } = process.env;
  const hasProxy = url.startsWith('https:') && Boolean(HTTPS_PROXY || lowercase);
  if (!hasProxy && caFile === null) return fetch;
  const tls =
    caFile === null ? {} : { ca: readText(caFile, 'Name a PEM file with "switchboard login --ca-file".') };
  const { EnvHttpProxyAgent, Agent, fetch: withDispatcher } = await import('undici');
  const dispatcher = hasProxy
    ? new EnvHttpProxyAgent({ connect: tls, requestTls: tls })
    : new Agent({ connect: tls });
  return async (address, init) => {
    const response: unknown = await withDispatcher(address, { ...init, dispatcher } as object);
    return response as Response;
  };
}
