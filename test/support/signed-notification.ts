import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../fixtures/notifications');
const read = (file: string) => readFileSync(join(FOLDER, file));

/** What the notifications of the folder are signed with: 48 bytes, written in base64url. */
export const WEBHOOK_SECRET = read('secret.txt').toString().trim();

export interface SignedNotification {
  body: Buffer;
  /** Made by openssl (`sign.sh`), so that nothing of ours judges our own reading of the document. */
  signature: string;
}

export function signedNotification(name: string): SignedNotification {
  return { body: read(`${name}.body`), signature: read(`${name}.hex`).toString().trim() };
}
