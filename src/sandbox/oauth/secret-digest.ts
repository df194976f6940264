import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Stored in place of a secret, code or token. Those have 256 random bits, so a fast unsalted hash is enough: they
 * cannot be guessed as passwords can.
 */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether the digest is that of `secret`; compares in constant time. */
export function matchesDigest(secret: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(secret)), Buffer.from(digest));
}
