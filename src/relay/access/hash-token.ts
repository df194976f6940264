import { createHash } from 'node:crypto';

/** How tokens are stored and compared: SHA-256 in hex. They are 256 random bits, so nothing slower is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
