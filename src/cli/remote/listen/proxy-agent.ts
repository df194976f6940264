import { request as requestHttp, type IncomingMessage } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;
type Connected = (error: Error | null, socket?: Duplex) => void;

/** The proxy for a hub by `HTTPS_PROXY` and `NO_PROXY`; undefined if it is reached without one. */
export function proxyAgentFor(hub: URL, env: Environment): Agent | undefined {
  const proxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (hub.protocol !== 'https:' || !proxy || isExempt(hub, env['no_proxy'] || env['NO_PROXY'] || ''))
    return undefined;
  return new ProxyAgent(new URL(proxy));
}

/** Entries are hosts, which include their subdomains, with or without a port, or `*`. */
const isExempt = ({ hostname, port }: URL, list: string): boolean =>
  list.split(/[\s,]+/).some((entry) => {
    const [, host = '', ofPort = ''] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (entry === '*') return true;
    return (
      host !== '' &&
      (ofPort === '' || ofPort === (port || '443')) &&
      (hostname === host || hostname.endsWith(`.${host}`))
    );
  });

/** Opens connections through a proxy (RFC 9110, 9.3.6). */
class ProxyAgent extends Agent {
  constructor(private readonly proxy: URL) {
    super();
  }

  override createConnection(options: ConnectionOptions, connected: Connected): undefined {
    const authority = `${options.host}:${options.port}`;
    const { protocol, username, password } = this.proxy;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    const send = protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(this.proxy, {
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(username !== '' && { 'proxy-authorization': authorization }) },
    });
    request.once('connect', ({ statusCode }: IncomingMessage, socket) => {
      if (statusCode === 200)
        return connected(
          null,
          connect({ ...options, socket, servername: options.servername ?? options.host }),
        );
      socket.destroy();
      connected(new Error(`the proxy answers with HTTP ${statusCode}`));
    });
    request.once('error', connected);
    request.end();
    return undefined;
  }
}
