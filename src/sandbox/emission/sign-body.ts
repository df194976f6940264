import { createHmac } from 'node:crypto';

/** The header that carries the signature. Its name is not shown (document, 5.6); this one is our reading. */
export const SIGNATURE_HEADER = 'x-copilot-signature';

/** The lowercase hexadecimal HMAC-SHA256 of the exact bytes, keyed with the webhook's secret (document, 5.6). */
export function signBody(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
