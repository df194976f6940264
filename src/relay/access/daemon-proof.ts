import { createHmac } from 'node:crypto';

/**
 * The route on which the daemon proves that it wrote the address file. The command line checks this before it sends a
 * token, because another process may listen on the port by now.
 */
export const PROOF_PATH = '/api/v1/proof';

/** Proves knowledge of the secret in the address file, for a nonce. Hex. */
export const proofOf = (secret: string, nonce: string): string =>
  createHmac('sha256', secret).update(nonce).digest('hex');
