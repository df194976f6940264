/** Shorter strings occur in ordinary text. */
const MIN_LENGTH = 6;

/** Masks our secrets in text from other servers, which may repeat a secret that was sent to them. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= MIN_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
