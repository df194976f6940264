import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RelayError } from '../ground/relay-error';
import { endpointOf, hostInUrl } from '../network/endpoint';
import { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';

/**
 * The host names under which browsers may use this daemon. A malicious page can point its own name at our address
 * (DNS rebinding); only the `Host` header reveals that.
 */
@Injectable()
export class AllowedHosts {
  constructor(
    private readonly publicAddress: PublicAddress,
    private readonly settings: Settings,
  ) {}

  /** @param host the `Host` header */
  isAllowedHost(host: string | undefined): boolean {
    return host !== undefined && this.urls().some((url) => isHostOf(url, host));
  }

  /** The error to respond with under any other host name. */
  rejection(host: string | undefined): RelayError | null {
    if (this.isAllowedHost(host)) return null;
    return new RelayError('host_rejected', 403, 'Sessions are not accepted under this host name.', {
      remedy: 'Open the dashboard at its configured address (PUBLIC_URL), or on this machine at localhost.',
    });
  }

  /** Whether an `Origin` is ours: that of the public URL, or of the local host that the request addresses. */
  isAllowedOrigin(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || host === undefined) return false;
    const [publicUrl, ...local] = this.urls();
    return publicUrl?.origin === origin || local.some((url) => url.origin === origin && isHostOf(url, host));
  }

  /** The public URL first. */
  private urls(): URL[] {
    const port = this.publicAddress.listeningPort;
    const names = ['localhost', '127.0.0.1', '[::1]', ...specificAddress(this.settings.host)];
    return [this.publicAddress.url, ...names.map((name) => `http://${name}:${port}`)].map(
      (text) => new URL(text),
    );
  }
}

/** `URL.host` omits a default port, but the header may contain it. */
function isHostOf(url: URL, header: string): boolean {
  const host = header.toLowerCase();
  return host === url.host || host === `${url.hostname}:${endpointOf(url).port}`;
}

/** `HOST` if it is a specific IP address: a name could resolve to anything. */
function specificAddress(host: string): string[] {
  if (!ipaddr.isValid(host) || ipaddr.process(host).range() === 'unspecified') return [];
  return [hostInUrl(host)];
}
