import { createHmac } from 'node:crypto';
import type { QuirkValues } from '../quirks/quirks';

type SignatureFormat = QuirkValues['signature_format'];

/** The lowercase hexadecimal HMAC-SHA256 of the exact bytes, keyed with the webhook's secret (document, 5.6). */
export function signBody(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The value of the signature header, whose format the document does not show (5.6). `now` is in milliseconds. */
export function formatSignature(signature: string, format: SignatureFormat, now: number): string {
  const values: Record<SignatureFormat, string> = {
    bare: signature,
    sha256: `sha256=${signature}`,
    t_v1: `t=${Math.floor(now / 1_000)},v1=${signature}`,
  };
  return values[format];
}
