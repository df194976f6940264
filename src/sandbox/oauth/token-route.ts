import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { TokenResponse } from '../../protocol/shapes';
import type { Parts } from '../parts';
import type { Application, Applications } from './applications';
import type { Grants } from './grants';
import { OAuthError } from './oauth-error';
import { Parameters } from './parameters';

/** Issues tokens for one grant type. A renewal need not return a new refresh token (RFC 6749, 6). */
type Exchange = (
  parameters: Parameters,
  application: Application,
  grants: Grants,
) => Omit<TokenResponse, 'refresh_token'>;

const EXCHANGES = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
]);

/** `POST /oauth/token` (document, 4.2). Errors are those of RFC 6749, 5.2; the document shows none. */
export function tokenRoute(app: FastifyInstance, parts: Parts): void {
  app.post(ENDPOINTS.token, { errorHandler: sendOAuthError }, (request, reply) => {
    const parameters = checkForm(request.body);
    parameters.rejectRepeated();
    const application = checkCredentials(parameters, parts.applications);
    const exchange = findExchange(parameters);
    const tokens = exchange(parameters, application, parts.grants);
    return reply.headers(NO_STORE).send(tokens);
  });
}

/** Required for every response with tokens (RFC 6749, 5.1). */
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

function checkForm(body: unknown): Parameters {
  if (body instanceof Parameters) return body;
  throw new OAuthError(
    'invalid_request',
    'The request body is not a form. Send application/x-www-form-urlencoded.',
  );
}

// Credentials are accepted only in the form (document, 4.2). The message is the same for an unknown client and for a
// wrong secret, so nobody can find out which clients exist.
function checkCredentials(parameters: Parameters, applications: Applications): Application {
  const application = applications.authenticate(
    parameters.get('client_id') ?? '',
    parameters.get('client_secret') ?? '',
  );
  if (application) return application;
  throw new OAuthError(
    'invalid_client',
    'The client_id or client_secret is wrong. Send both in the form, as shown in the developer panel.',
  );
}

function findExchange(parameters: Parameters): Exchange {
  const exchange = EXCHANGES.get(parameters.require('grant_type'));
  if (exchange) return exchange;
  throw new OAuthError('unsupported_grant_type', `Send one of ${[...EXCHANGES.keys()].join(', ')}.`);
}

function sendOAuthError(error: FastifyError | OAuthError, _request: unknown, reply: FastifyReply): void {
  // A fault of the sandbox itself is not the client's: the application's error handler answers it with 500.
  if (!(error instanceof OAuthError) && (error.statusCode ?? 500) >= 500) throw error;
  const code = error instanceof OAuthError ? error.code : 'invalid_request';
  void reply
    .code(code === 'invalid_client' ? 401 : 400)
    .headers(NO_STORE)
    .send({ error: code, error_description: error.message });
}

/**
 * `grant_type=authorization_code` (document, 4.2). A code can be used once. A second use means that it was stolen, so
 * all its tokens are revoked (RFC 6749, 4.1.2).
 */
function exchangeCode(parameters: Parameters, application: Application, grants: Grants): TokenResponse {
  const code = grants.findCode(parameters.require('code'));
  const redirectUri = parameters.require('redirect_uri');
  if (!code || code.grant.clientId !== application.clientId) {
    throw invalidGrant('This code was not issued to this application. Authorize again.');
  }
  if (code.used) {
    grants.revoke(code.grant);
    throw invalidGrant('The code was used before, so its tokens have been revoked. Authorize again.');
  }
  if (grants.hasExpired(code)) {
    throw invalidGrant('The code is older than ten minutes. Authorize again.');
  }
  if (code.redirectUri !== redirectUri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request. Send the same one.');
  }
  code.used = true;
  return grants.issueTokens(code.grant);
}

/**
 * `grant_type=refresh_token` (document, 4.2 and 5.4). The document does not describe the response; by default it
 * contains a new refresh token and the old one is used up. A second use means that it was stolen, so all tokens of
 * the grant are revoked (RFC 9700, 4.14.2).
 */
function exchangeRefreshToken(
  parameters: Parameters,
  application: Application,
  grants: Grants,
): Omit<TokenResponse, 'refresh_token'> {
  const token = grants.findRefreshToken(parameters.require('refresh_token'));
  if (!token || token.grant.clientId !== application.clientId) {
    throw invalidGrant('This refresh token was not issued to this application. Authorize again.');
  }
  if (token.grant.revoked) {
    throw invalidGrant('The refresh token was revoked. Authorize again.');
  }
  if (token.used) {
    grants.revoke(token.grant);
    throw invalidGrant(
      'The refresh token was used before, so all tokens of its grant have been revoked. Authorize again.',
    );
  }
  if (!grants.rotatesRefreshTokens) return grants.issueAccessToken(token.grant);
  token.used = true;
  return grants.issueTokens(token.grant);
}

const invalidGrant = (message: string): OAuthError => new OAuthError('invalid_grant', message);
