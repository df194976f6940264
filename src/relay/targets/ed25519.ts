import { createHmac, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

/** What precedes the 32 bytes of a private key in DER (RFC 8410, 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const privateKeys = new WeakMap<Buffer, KeyObject>();

/** The Ed25519 key that belongs to a signing key, so that it needs no storage, and a secret rotation replaces both. */
function privateKeyOf(signingKey: Buffer): KeyObject {
  const known = privateKeys.get(signingKey);
  if (known !== undefined) return known;
  const seed = createHmac('sha256', signingKey).update('ed25519').digest();
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  privateKeys.set(signingKey, key);
  return key;
}

/** The signature in base64 (RFC 8032). */
export const signWithEd25519 = (signingKey: Buffer, message: Uint8Array): string =>
  sign(null, message, privateKeyOf(signingKey)).toString('base64');

/** The public key, as Standard Webhooks writes it: `whpk_` and 32 bytes in base64. */
export function publicKeyText(signingKey: Buffer): string {
  const { x } = createPublicKey(privateKeyOf(signingKey)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x!, 'base64url').toString('base64')}`;
}
