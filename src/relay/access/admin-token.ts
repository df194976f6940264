import { timingSafeEqual } from 'node:crypto';
import { hashToken } from './hash-token';

/** The operator's token. Only its hash is kept, and comparing takes the same time whatever is given. */
export class AdminToken {
  private readonly hash: Buffer;

  constructor(token: string) {
    this.hash = Buffer.from(hashToken(token));
  }

  matches(given: string): boolean {
    return timingSafeEqual(this.hash, Buffer.from(hashToken(given)));
  }
}
