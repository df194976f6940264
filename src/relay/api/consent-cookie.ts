import { Injectable } from '@nestjs/common';
import { HttpOnlyCookie } from '../access/http-only-cookie';
import { STATE_LIFETIME_MS } from '../connection/oauth-state.store';

/** Binds a consent to the browser that started it (RFC 9700, 2.1): a callback without this cookie is rejected. */
@Injectable()
export class ConsentCookie extends HttpOnlyCookie {
  protected readonly kind = 'consent';
  protected readonly maxAgeSeconds = STATE_LIFETIME_MS / 1_000;
}
