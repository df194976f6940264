import { createHmac } from 'node:crypto';

/**
 * The value of `webhook-signature` (Standard Webhooks, v1): HMAC-SHA256 over id, timestamp and body, joined by dots; one
 * for each key, separated by spaces, of which the receiver wants any.
 */
export function signDelivery(
  keys: readonly Buffer[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): string {
  const before = `${id}.${timestampSeconds}.`;
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(before).update(body).digest('base64')}`)
    .join(' ');
}
