import { Injectable } from '@nestjs/common';
import { OwnCookie } from '../access/own-cookie';
import { STATE_LIFETIME_MS } from '../connection/oauth-states';

/** Binds a consent to the browser that began it (RFC 9700, 2.1): an answer that comes without it is none of ours. */
@Injectable()
export class ConsentCookie extends OwnCookie {
  protected readonly kind = 'consent';
  protected readonly lifeSeconds = STATE_LIFETIME_MS / 1_000;
}
