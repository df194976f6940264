import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Leadership } from '../ground/leadership';
import { endpointOf } from '../network/endpoint';
import { PublicAddress } from '../settings/public-address';

/** Reads and sets a cookie that scripts cannot access. Values are base64url, so they need no escaping. */
@Injectable()
export abstract class HttpOnlyCookie {
  protected abstract readonly kind: string;
  protected abstract readonly maxAgeSeconds: number;

  constructor(
    private readonly publicAddress: PublicAddress,
    private readonly leadership: Leadership,
  ) {}

  /** All values sent under this name: another port of the host may have set one for another path. */
  read({ cookie = '' }: IncomingHttpHeaders): string[] {
    const start = `${this.name}=`;
    const pairs = cookie.split(';').map((pair) => pair.trim());
    return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  }

  /** The value of `Set-Cookie` that sets it. */
  serialize(value: string): string {
    return this.write(value, this.maxAgeSeconds);
  }

  /** The value of `Set-Cookie` that deletes it. */
  serializeExpired(): string {
    return this.write('', 0);
  }

  /**
   * Cookies are shared by all ports of a host: the port in the name keeps two daemons on one machine from overwriting
   * each other's. Daemons on one database listen on different ports there, and share a public URL. `__Host-` keeps
   * subdomains and plain http from setting it (RFC 6265bis, 4.1.3.2).
   */
  private get name(): string {
    const { listeningPort, url } = this.publicAddress;
    const port = this.leadership.isShared ? endpointOf(url).port : listeningPort;
    return `${this.isSecure ? '__Host-' : ''}switchboard_${this.kind}_${port}`;
  }

  private get isSecure(): boolean {
    return this.publicAddress.url.startsWith('https:');
  }

  /** Lax: `Strict` cookies are not sent when Co-Pilot's consent page redirects back. */
  private write(value: string, maxAgeSeconds: number): string {
    const secure = this.isSecure ? '; Secure' : '';
    return `${this.name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }
}
