/** Shorter ones stand in ordinary texts as well. */
const LEAST_LENGTH = 6;

/** A text from elsewhere, without our own secrets: whoever is sent one may repeat it. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= LEAST_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
