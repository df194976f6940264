import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/**
 * The names under which browsers may speak to this daemon. A page of somebody else's can point its own name at our
 * address (DNS rebinding): the request then comes from the browser's own machine, and only `Host` tells.
 */
@Injectable()
export class OwnAddress {
  constructor(
    private readonly publicAddress: PublicAddress,
    private readonly settings: Settings,
  ) {}

  /** @param host the `Host` header */
  isOwnHost(host: string | undefined): boolean {
    return host !== undefined && this.urls().some((url) => isHostOf(url, host));
  }

  /** Whether a page of this `Origin` is ours: that of the public address, or of the host it speaks to. */
  isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || host === undefined) return false;
    const [publicUrl, ...local] = this.urls();
    return publicUrl?.origin === origin || local.some((url) => url.origin === origin && isHostOf(url, host));
  }

  /** The public address first. */
  private urls(): URL[] {
    const port = this.publicAddress.listeningPort;
    const names = ['localhost', '127.0.0.1', '[::1]', ...literal(this.settings.host)];
    return [this.publicAddress.url, ...names.map((name) => `http://${name}:${port}`)].map(
      (text) => new URL(text),
    );
  }
}

function isHostOf(url: URL, host: string): boolean {
  const given = host.toLowerCase();
  return given === url.host || given === `${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}`;
}

/** `HOST` where it is an address; a name could be anybody's, and "all addresses" is no address. */
function literal(host: string): string[] {
  if (!ipaddr.isValid(host) || ipaddr.process(host).range() === 'unspecified') return [];
  return [host.includes(':') ? `[${host}]` : host];
}
