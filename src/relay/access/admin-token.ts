import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../secrets/sealer';
import { hashToken } from './hash-token';

/** The operator's token. Only its hash is kept, and comparing takes the same time whatever is given. */
export class AdminToken {
  private readonly hash: Buffer;
  /** Differs once the token was replaced. Stored with what the token has let in; a weak token cannot be guessed from it. */
  readonly fingerprint: string;

  constructor(token: string, sealer: Sealer) {
    this.hash = Buffer.from(hashToken(token));
    this.fingerprint = sealer.fingerprint(token, 'admin token');
  }

  matches(given: string): boolean {
    return timingSafeEqual(this.hash, Buffer.from(hashToken(given)));
  }
}
