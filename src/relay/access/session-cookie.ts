import { Injectable } from '@nestjs/common';
import { HttpOnlyCookie } from './http-only-cookie';
import { SESSION_LIFETIME_MS } from './sessions.service';

/** Holds a session's token, the half that scripts cannot read. */
@Injectable()
export class SessionCookie extends HttpOnlyCookie {
  protected readonly kind = 'session';
  protected readonly maxAgeSeconds = SESSION_LIFETIME_MS / 1_000;
}
