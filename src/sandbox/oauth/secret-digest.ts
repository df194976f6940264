import { createHash, timingSafeEqual } from 'node:crypto';

/** What is kept in place of a secret, a code or a token. A plain hash does: these have 256 random bits, not a person's choice. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** True when `secret` is the one that was digested; takes the same time wherever they differ. */
export function matchesDigest(secret: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(secret)), Buffer.from(digest));
}
