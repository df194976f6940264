import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../fixtures/notifications');
const read = (file: string) => readFileSync(join(FOLDER, file));

/** The secret that signs the notifications in the folder: 48 bytes as base64url. */
export const WEBHOOK_SECRET = read('secret.txt').toString().trim();

export interface SignedNotification {
  body: Buffer;
  /** Made by openssl (`sign.sh`), independently of our own implementation. */
  signature: string;
}

export function signedNotification(name: string): SignedNotification {
  return { body: read(`${name}.body`), signature: read(`${name}.hex`).toString().trim() };
}
