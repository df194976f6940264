import { createHmac } from 'node:crypto';

/** Where the daemon proves to the command line that it is the one that left its address, before it is sent a token. */
export const PROOF_PATH = '/api/v1/proof';

/** What proves that one knows the secret in the address file, for a number that is used once. Hex. */
export const proofOf = (secret: string, nonce: string): string =>
  createHmac('sha256', secret).update(nonce).digest('hex');
