import type { TokenResponse } from '../../protocol/shapes';
import type { Application } from './applications';
import type { Grants } from './grants';
import { OAuthError } from './oauth-error';
import { type Parameters, requireParameter } from './parameters';

/**
 * `grant_type=authorization_code` (document, 4.2). A code can be used once. A second use means that it was
 * stolen, so all its tokens are revoked (RFC 6749, 4.1.2).
 */
export function exchangeCode(
  parameters: Parameters,
  application: Application,
  grants: Grants,
): TokenResponse {
  const code = grants.findCode(requireParameter(parameters, 'code'));
  const redirectUri = requireParameter(parameters, 'redirect_uri');
  if (!code || code.grant.clientId !== application.clientId) {
    throw new OAuthError('invalid_grant', 'This code was not issued to this application. Authorize again.');
  }
  if (code.used) {
    grants.revoke(code.grant);
    throw new OAuthError(
      'invalid_grant',
      'The code was used before, so its tokens have been revoked. Authorize again.',
    );
  }
  if (grants.hasExpired(code)) {
    throw new OAuthError('invalid_grant', 'The code is older than ten minutes. Authorize again.');
  }
  if (code.redirectUri !== redirectUri) {
    throw new OAuthError(
      'invalid_grant',
      'The redirect_uri differs from that of the authorization request. Send the same one.',
    );
  }
  code.used = true;
  return grants.issueTokens(code.grant);
}
