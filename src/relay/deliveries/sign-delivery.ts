import { createHmac } from 'node:crypto';

/** The value of `webhook-signature` (Standard Webhooks, v1): HMAC-SHA256 over id, timestamp and body, joined by dots. */
export function signDelivery(key: Buffer, id: string, timestampSeconds: number, body: Uint8Array): string {
  const mac = createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}
