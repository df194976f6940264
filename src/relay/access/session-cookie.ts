import { Injectable } from '@nestjs/common';
import { OwnCookie } from './own-cookie';
import { SESSION_LIFE_MS } from './session-row';

/** Carries a session's token, the half of it that scripts do not get. */
@Injectable()
export class SessionCookie extends OwnCookie {
  protected readonly kind = 'session';
  protected readonly lifeSeconds = SESSION_LIFE_MS / 1_000;
}
