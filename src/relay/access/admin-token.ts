import { isSameSecret } from '../secrets/is-same-secret';
import type { Sealer } from '../secrets/sealer';
import { hashToken } from './token-secret';

/** The operator's token. Only its hash is in memory, and the comparison takes constant time. */
export class AdminToken {
  private readonly hash: string;
  /** Stored with the sessions that the token opened. Keyed: not even a weak token can be guessed from it. */
  readonly fingerprint: string;

  constructor(token: string, sealer: Sealer) {
    this.hash = hashToken(token);
    this.fingerprint = sealer.fingerprint(token, 'admin token');
  }

  matches(token: string): boolean {
    return isSameSecret(this.hash, hashToken(token));
  }
}
