/** Shorter ones occur in ordinary text. */
const MIN_LENGTH = 6;

/** Masks our secrets in text from elsewhere: a server that received one may repeat it. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= MIN_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
