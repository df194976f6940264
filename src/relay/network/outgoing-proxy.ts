import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { isLoopbackName } from '../settings/loopback';
import type { Settings } from '../settings/settings';
import { endpointOf } from './endpoint';

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
    const { host: name, port } = endpointOf(url);
    const host = name.replace(/\.$/, '');
    if (server === null || isLoopbackName(host)) return null;
    return this.exceptions.some((matches) => matches(host, String(port))) ? null : server;
  }
}

function serverOf(text: string): ProxyServer {
  const { protocol, username, password } = new URL(text);
  const { host: hostname, port } = endpointOf(text);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    hostname,
    port,
    isSecure: protocol === 'https:',
    authorization: username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/**
 * One entry of `NO_PROXY`: `*`, a CIDR range, an address, or a name with its subdomains; the last two with or without
 * a port, as a URL, or with `*` for any characters.
 */
function ruleOf(entry: string): Rule {
  if (entry === '*') return () => true;
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return (host) => {
      const address = ipaddr.isValid(host) ? ipaddr.process(host) : null;
      return address !== null && address.kind() === network.kind() && address.match(network, bits);
    };
  }
  const authority = entry.replace(/^\w+:\/\/([^/]*).*/, '$1');
  const [, bare = '', port] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(ipaddr.IPv6.isValid(authority) ? `[${authority}]` : authority) ?? [];
  const name = bare.replace(/^\*?\./, '').replace(/\.$/, '');
  const wanted = ipaddr.IPv6.isValid(name) ? ipaddr.parse(name).toString() : toAscii(name);
  const pattern = wanted
    .split('*')
    .map((text) => text.replaceAll(/\W/g, '\\$&'))
    .join('.*');
  const self = new RegExp(`^${pattern}$`);
  const subdomain = new RegExp(`\\.${pattern}$`);
  return (host, actualPort) =>
    (self.test(host) || (!ipaddr.isValid(host) && subdomain.test(host))) &&
    (port === undefined || port === actualPort);
}

/** As URLs write a name. `domainToASCII` takes a label of digits for an address. */
const toAscii = (name: string): string =>
  name
    .split('.')
    .map((label) => (/^\p{ASCII}*$/u.test(label) ? label : domainToASCII(label)))
    .join('.');
