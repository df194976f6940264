import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../settings/public-address';
import { SESSION_LIFE_MS } from './sessions.service';

/**
 * The cookie that carries a session's token, as a browser sends it and as it is set. Tokens are base64url, so nothing
 * needs escaping.
 */
@Injectable()
export class SessionCookie {
  constructor(private readonly publicAddress: PublicAddress) {}

  /** The token in a request's cookies, or null. */
  read(headers: IncomingHttpHeaders): string | null {
    const start = `${this.name}=`;
    const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
    return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? null;
  }

  /** The value of `Set-Cookie` that starts a session. */
  toSet(token: string): string {
    return this.write(token, SESSION_LIFE_MS / 1_000);
  }

  /** The value of `Set-Cookie` that ends it. */
  toClear(): string {
    return this.write('', 0);
  }

  /** Cookies know no ports: without its own in the name, a second daemon on the machine would log this one's users out. */
  private get name(): string {
    return `switchboard_session_${this.publicAddress.listeningPort}`;
  }

  /** Lax: `Strict` would lose the operator on the way back from Co-Pilot's consent page. */
  private write(value: string, maxAgeSeconds: number): string {
    const secure = this.publicAddress.url.startsWith('https:') ? '; Secure' : '';
    return `${this.name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }
}
