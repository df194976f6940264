import ipaddr from 'ipaddr.js';
import { isLoopbackName } from '../settings/loopback';
import type { Settings } from '../settings/settings';

/** An HTTP proxy through which connections are tunnelled. */
export interface ProxyServer {
  hostname: string;
  port: number;
  /** Whether the connection to the proxy itself uses TLS. */
  isSecure: boolean;
  /** The value of `Proxy-Authorization`, which contains the password; null without credentials. */
  authorization: string | null;
}

type Rule = (host: string, port: string) => boolean;

/** Chooses the proxy of outgoing connections, by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
export class OutgoingProxy {
  private readonly https: ProxyServer | null;
  private readonly http: ProxyServer | null;
  private readonly exceptions: readonly Rule[];

  constructor({ outgoingProxy: { https, http, except } }: Pick<Settings, 'outgoingProxy'>) {
    this.https = https === null ? null : serverOf(https);
    this.http = http === null ? null : serverOf(http);
    this.exceptions = except.map(ruleOf);
  }

  /** Null for a direct connection, as to this machine. */
  for(url: URL): ProxyServer | null {
    const isHttps = url.protocol === 'https:';
    const server = isHttps ? this.https : this.http;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (server === null || isLoopbackName(host)) return null;
    const port = url.port || (isHttps ? '443' : '80');
    return this.exceptions.some((matches) => matches(host, port)) ? null : server;
  }
}

function serverOf(text: string): ProxyServer {
  const { protocol, hostname, port, username, password } = new URL(text);
  const isSecure = protocol === 'https:';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isSecure ? 443 : 80)),
    isSecure,
    authorization: username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** One entry of `NO_PROXY`: `*`, an address, a CIDR range, or a name with its subdomains, each with or without a port. */
function ruleOf(entry: string): Rule {
  if (entry === '*') return () => true;
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return (host) => {
      const address = ipaddr.isValid(host) ? ipaddr.process(host) : null;
      return address !== null && address.kind() === network.kind() && address.match(network, bits);
    };
  }
  const [, name = '', port] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(ipaddr.isValid(entry) ? `[${entry}]` : entry) ?? [];
  const wanted = name.replace(/^\*?\./, '').toLowerCase();
  return (host, actualPort) =>
    (host === wanted || host.endsWith(`.${wanted}`)) && (port === undefined || port === actualPort);
}
