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

  /** The name of a repeated parameter, if any. */
  get repeated(): string | undefined {
    const names = [...this.values.keys()];
    return names.find((name, at) => names.indexOf(name) !== at);
  }
}

/** @throws OAuthError if the parameter is missing */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

/** @throws OAuthError if a parameter is repeated */
export function rejectRepeated(parameters: Parameters): void {
  const { repeated } = parameters;
  if (repeated === undefined) return;
  throw new OAuthError(
    'invalid_request',
    `The parameter ${encodeURIComponent(repeated)} is repeated. Send it once.`,
  );
}
