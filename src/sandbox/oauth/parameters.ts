import { OAuthError } from './oauth-error';

/**
 * The parameters of an OAuth request, from a query or a form. One without a value counts as left out, and none may come
 * twice (RFC 6749, 3.1 and 3.2).
 */
export class Parameters {
  private readonly values: URLSearchParams;

  /** `encoded` is `application/x-www-form-urlencoded`. */
  constructor(encoded: string) {
    this.values = new URLSearchParams(encoded);
  }

  /** The value, or undefined when it is left out or comes twice. */
  get(name: string): string | undefined {
    const all = this.values.getAll(name);
    return all.length === 1 ? all[0] || undefined : undefined;
  }

  /** The name of a parameter that comes twice, if one does. */
  get repeated(): string | undefined {
    const names = [...this.values.keys()];
    return names.find((name, at) => names.indexOf(name) !== at);
  }
}

/** The value of a parameter that the request cannot do without. An `OAuthError` when it is left out. */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing. Send it.`);
  return value;
}

/** No parameter may come twice. An `OAuthError` when one does. */
export function refuseRepeated(parameters: Parameters): void {
  const { repeated } = parameters;
  if (repeated === undefined) return;
  throw new OAuthError(
    'invalid_request',
    `The parameter ${encodeURIComponent(repeated)} comes twice. Send it once.`,
  );
}
