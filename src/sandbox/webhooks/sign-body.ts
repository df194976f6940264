import { createHmac } from 'node:crypto';
import type { Readings } from '../quirks/readings';

/** The lowercase hexadecimal HMAC-SHA256 of the exact bytes, keyed with the webhook's secret (document, 5.6). */
export function signBody(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The value of the signature header, whose format the document does not show (5.6). `now` is in milliseconds. */
export function formatSignature(signature: string, shape: Readings['signature_shape'], now: number): string {
  const shapes: Record<Readings['signature_shape'], string> = {
    bare: signature,
    sha256: `sha256=${signature}`,
    t_v1: `t=${Math.floor(now / 1_000)},v1=${signature}`,
  };
  return shapes[shape];
}
