import { maskSecrets } from '../../secrets/mask-secrets';

/** How much of a response is stored. */
export const EXCERPT_BYTES = 1_024;

/** The beginning of a response as text; null if it is empty. */
export function excerptOf(responseStart: Buffer, secrets: readonly string[]): string | null {
  if (responseStart.length === 0) return null;
  const text = maskSecrets(responseStart.toString('utf8'), secrets);
  return Buffer.from(text).toString('utf8', 0, EXCERPT_BYTES).replaceAll('\u0000', '\ufffd');
}
