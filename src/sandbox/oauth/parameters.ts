import { OAuthError } from './oauth-error';

/**
 * The parameters of an OAuth request, from a query or a form. Empty ones count as missing, and none may be repeated
 * (RFC 6749, 3.1 and 3.2).
 */
export class Parameters {
  private readonly values: URLSearchParams;

  /** `encoded` is `application/x-www-form-urlencoded`. */
  constructor(encoded: string) {
    this.values = new URLSearchParams(encoded);
  }

  /** Undefined if missing, empty or repeated. */
  get(name: string): string | undefined {
    const all = this.values.getAll(name);
    return all.length === 1 ? all[0] || undefined : undefined;
  }

  /** @throws OAuthError if the parameter is missing */
  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
    return value;
  }

  /** @throws OAuthError if a parameter is repeated */
  rejectRepeated(): void {
    const names = [...this.values.keys()];
    const repeated = names.find((name, at) => names.indexOf(name) !== at);
    if (repeated === undefined) return;
    const message = `The parameter ${encodeURIComponent(repeated)} is repeated. Send it once.`;
    throw new OAuthError('invalid_request', message);
  }
}
