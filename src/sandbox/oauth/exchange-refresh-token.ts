import type { TokenResponse } from '../../protocol/shapes';
import type { Application } from './applications';
import type { Grants } from './grants';
import { OAuthError } from './oauth-error';
import { type Parameters, requireParameter } from './parameters';

/**
 * `grant_type=refresh_token` (document, 4.2 and 5.4). The document does not describe the response; by default
 * it contains a new refresh token and the old one is used up. A second use means that it was stolen, so all
 * tokens of the grant are revoked (RFC 9700, 4.14.2).
 */
export function exchangeRefreshToken(
  parameters: Parameters,
  application: Application,
  grants: Grants,
): Omit<TokenResponse, 'refresh_token'> {
  const token = grants.findRefreshToken(requireParameter(parameters, 'refresh_token'));
  if (!token || token.grant.clientId !== application.clientId) {
    throw new OAuthError(
      'invalid_grant',
      'This refresh token was not issued to this application. Authorize again.',
    );
  }
  if (token.grant.revoked) {
    throw new OAuthError('invalid_grant', 'The refresh token was revoked. Authorize again.');
  }
  if (token.used) {
    grants.revoke(token.grant);
    throw new OAuthError(
      'invalid_grant',
      'The refresh token was used before, so all tokens of its grant have been revoked. Authorize again.',
    );
  }
  if (!grants.rotatesRefreshTokens) return grants.issueAccessToken(token.grant);
  token.used = true;
  return grants.issueTokens(token.grant);
}
