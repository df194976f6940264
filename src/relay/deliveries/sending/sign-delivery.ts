import { createHmac } from 'node:crypto';
import type { SIGNATURE_FORMS } from '../../../contract/constants';
import { signWithEd25519 } from '../../targets/ed25519';
import { secretText, type TargetRecord } from '../../targets/target-record';

/** What the signatures of a request depend on. */
export type SigningTarget = Pick<TargetRecord, 'signature' | 'ed25519' | 'signingKey' | 'previousSigningKey'>;

/**
 * The value of `webhook-signature` (Standard Webhooks): of id, timestamp and body, joined by dots. `v1` is their
 * HMAC-SHA256, `v1a` their Ed25519 signature. There is one of each per key, separated by spaces; a receiver accepts any.
 */
export function signDelivery(
  keys: readonly Buffer[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
  withEd25519: boolean,
): string {
  const prefix = `${id}.${timestampSeconds}.`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`,
  );
  if (withEd25519) {
    const message = Buffer.concat([Buffer.from(prefix), body]);
    signatures.push(...keys.map((key) => `v1a,${signWithEd25519(key, message)}`));
  }
  return signatures.join(' ');
}

/**
 * A signature in the form of another sender, whose key is the text of the secret.
 * @param keys the current one first; only in the form with `v1` there can be signatures of several
 */
export function writeSignature(
  form: (typeof SIGNATURE_FORMS)[number],
  keys: readonly Buffer[],
  timestampSeconds: number,
  body: Uint8Array,
): string {
  const isTimed = form.includes('{time}');
  const [first, ...others] = keys.map((key) => {
    const mac = createHmac('sha256', secretText(key));
    if (isTimed) mac.update(`${timestampSeconds}.`);
    return mac.update(body).digest();
  });
  const value = form
    .replace('{time}', String(timestampSeconds))
    .replace('{hex}', () => first!.toString('hex'))
    .replace('{base64}', () => first!.toString('base64'));
  return isTimed ? [value, ...others.map((mac) => `v1=${mac.toString('hex')}`)].join(',') : value;
}
