import { SCOPES, SCOPE_SEPARATOR, type Scope } from '../../protocol/scopes';
import type { Application, Applications } from './applications';
import { OAuthError, UntrustedRequest } from './oauth-error';
import type { Parameters } from './parameters';

/** @throws UntrustedRequest if the client is unknown */
export function checkClient(parameters: Parameters, applications: Applications): Application {
  const application = applications.find(parameters.get('client_id') ?? '');
  if (application) return application;
  throw new UntrustedRequest(
    'No application has this client_id. Compare it with the Client ID in the developer panel.',
  );
}

/** @throws UntrustedRequest if the redirect URI is not exactly one of those registered */
export function checkRedirectUri(parameters: Parameters, application: Application): string {
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri && application.redirectUris.includes(redirectUri)) return redirectUri;
  throw new UntrustedRequest(
    'The redirect_uri is not one of those registered for this application. Register exactly this URI in the developer panel.',
  );
}

/**
 * `response_type` must be `code` (document, 4.1).
 * @throws OAuthError `invalid_request` if it is missing, `unsupported_response_type` if it is another
 */
export function checkResponseType(parameters: Parameters): void {
  const responseType = parameters.get('response_type');
  if (!responseType)
    throw new OAuthError('invalid_request', 'response_type is missing. Send response_type=code.');
  if (responseType === 'code') return;
  throw new OAuthError('unsupported_response_type', 'Only response_type=code is supported.');
}

/**
 * The requested scopes (document, 5.5) without duplicates, in the order of `SCOPES`.
 * @throws OAuthError `invalid_scope` if none is requested or one is unknown
 */
export function checkScopes(parameters: Parameters): Scope[] {
  const requested = parameters.get('scope')?.split(SCOPE_SEPARATOR.authorizeRequest) ?? [];
  const recognized = SCOPES.filter((scope) => requested.includes(scope));
  if (requested.length > 0 && requested.every((scope) => recognized.some((name) => name === scope)))
    return recognized;
  throw new OAuthError('invalid_scope', `Send one or more of ${SCOPES.join(',')}, separated by commas.`);
}
