import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Random } from '../ground/random';
import type { SealedColumn } from './sealed-columns';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encryption at rest: AES-256-GCM, base64 of nonce, tag and ciphertext. `purpose` is authenticated with it, so that a
 * value encrypted for one column cannot be decrypted for another. A rotation of the key encrypts all these columns again.
 */
export class Sealer {
  constructor(
    private readonly key: Buffer,
    private readonly random: Random,
  ) {}

  seal(text: string, purpose: SealedColumn): string {
    const nonce = this.random.bytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** @throws Error if the key, the purpose or any bit differs */
  open(sealed: string, purpose: SealedColumn): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }

  /** A keyed hash of a secret in hex, to compare secrets. Without the key, guesses cannot be tested on it. */
  fingerprint(secret: string, purpose: string): string {
    return createHmac('sha256', this.key).update(`${purpose}\0${secret}`).digest('hex');
  }
}
