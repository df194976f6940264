import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { TokenResponse } from '../../protocol/shapes';
import type { Application, Applications } from './applications';
import { exchangeCode } from './exchange-code';
import type { Grants } from './grants';
import { OAuthError } from './oauth-error';
import { Parameters, rejectRepeated, requireParameter } from './parameters';
import { exchangeRefreshToken } from './exchange-refresh-token';

type GrantType = (
  parameters: Parameters,
  application: Application,
  grants: Grants,
) => Omit<TokenResponse, 'refresh_token'>;

const GRANT_TYPES = new Map<string, GrantType>([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
]);

/** `POST /oauth/token` (document, 4.2). Errors are those of RFC 6749, 5.2; the document shows none. */
export function tokenRoute(
  app: FastifyInstance,
  parts: { applications: Applications; grants: Grants },
): void {
  app.post(ENDPOINTS.token, { errorHandler: sendOAuthError }, (request, reply) => {
    const parameters = checkForm(request.body);
    rejectRepeated(parameters);
    const application = checkCredentials(parameters, parts.applications);
    const grantType = checkGrantType(parameters);
    const tokens = grantType(parameters, application, parts.grants);
    return reply.headers(NOT_STORED).send(tokens);
  });
}

const NOT_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' };

function checkForm(body: unknown): Parameters {
  if (body instanceof Parameters) return body;
  throw new OAuthError(
    'invalid_request',
    'The request body is not a form. Send application/x-www-form-urlencoded.',
  );
}

// Credentials are accepted only in the form (document, 4.2). The message does not reveal whether the client exists.
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

function checkGrantType(parameters: Parameters): GrantType {
  const grantType = GRANT_TYPES.get(requireParameter(parameters, 'grant_type'));
  if (grantType) return grantType;
  throw new OAuthError('unsupported_grant_type', `Send one of ${[...GRANT_TYPES.keys()].join(', ')}.`);
}

function sendOAuthError(error: FastifyError | OAuthError, _request: unknown, reply: FastifyReply): void {
  if (!(error instanceof OAuthError) && (error.statusCode ?? 500) >= 500) throw error;
  const code = error instanceof OAuthError ? error.code : 'invalid_request';
  void reply
    .code(code === 'invalid_client' ? 401 : 400)
    .headers(NOT_STORED)
    .send({ error: code, error_description: error.message });
}
