import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../settings/public-address';

/** A cookie that scripts do not get, as a browser sends it and as it is set. Values are base64url, so nothing needs escaping. */
@Injectable()
export abstract class OwnCookie {
  protected abstract readonly kind: string;
  protected abstract readonly lifeSeconds: number;

  constructor(private readonly publicAddress: PublicAddress) {}

  /** The values of a request's cookies of this name. There may be several: another port of the host may have set one for another path. */
  read({ cookie = '' }: IncomingHttpHeaders): string[] {
    const start = `${this.name}=`;
    const pairs = cookie.split(';').map((pair) => pair.trim());
    return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  }

  /** The value of `Set-Cookie` that gives it. */
  toSet(value: string): string {
    return this.write(value, this.lifeSeconds);
  }

  /** The value of `Set-Cookie` that takes it away. */
  toClear(): string {
    return this.write('', 0);
  }

  /**
   * Cookies know no ports: without its own in the name, a second daemon on the machine would log this one's users out. Under
   * `__Host-` no other name of the domain and no plain http can set it (RFC 6265bis, 4.1.3.2).
   */
  private get name(): string {
    return `${this.isSecure ? '__Host-' : ''}switchboard_${this.kind}_${this.publicAddress.listeningPort}`;
  }

  private get isSecure(): boolean {
    return this.publicAddress.url.startsWith('https:');
  }

  /** Lax: `Strict` would lose the operator on the way back from Co-Pilot's consent page. */
  private write(value: string, maxAgeSeconds: number): string {
    const secure = this.isSecure ? '; Secure' : '';
    return `${this.name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }
}
