import type { FastifyInstance, FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import { SCOPES, SCOPE_SEPARATOR, type Scope } from '../../protocol/scopes';
import { PAGE_HEADERS } from '../html-page';
import type { Parts } from '../parts';
import type { Application, Applications } from './applications';
import { consentPage, authorizationErrorPage } from './consent-page';
import { OAuthError, UntrustedRequest } from './oauth-error';
import { Parameters } from './parameters';
import type { AuthorizationRequest } from './pending-consents';

/** `GET /oauth/authorize` (document, 4.1), and the `POST` of the sandbox's consent page. */
export function authorizeRoutes(
  app: FastifyInstance,
  { applications, grants, pendingConsents, consent }: Parts,
): void {
  const grant = (reply: FastifyReply, request: AuthorizationRequest): FastifyReply => {
    return redirect(reply, request, { code: grants.issueCode(request) });
  };

  app.get(ENDPOINTS.authorize, { errorHandler: sendErrorPage }, (request, reply) => {
    const parameters = new Parameters(new URL(request.url, 'http://sandbox').search);
    const application = checkClient(parameters, applications);
    const redirectUri = checkRedirectUri(parameters, application);
    const redirectTarget = { redirectUri, state: parameters.get('state') };
    try {
      parameters.rejectRepeated();
      checkResponseType(parameters);
      const authorization = { ...redirectTarget, application, scopes: checkScopes(parameters) };
      if (consent === 'grant') return grant(reply, authorization);
      const id = pendingConsents.add(authorization);
      return reply.headers(PAGE_HEADERS).send(consentPage(id, authorization));
    } catch (error) {
      if (error instanceof OAuthError) return redirectError(reply, redirectTarget, error);
      throw error;
    }
  });

  app.post<{ Body: Parameters }>(ENDPOINTS.authorize, { errorHandler: sendErrorPage }, (request, reply) => {
    const authorization = pendingConsents.take(request.body.get('consent') ?? '');
    if (!authorization)
      throw new UntrustedRequest(
        'This consent request has expired or was already answered. Start again at the application.',
      );
    if (request.body.get('decision') === 'allow') return grant(reply, authorization);
    return redirectError(
      reply,
      authorization,
      new OAuthError('access_denied', 'The user denied the request.'),
    );
  });
}

type RedirectTarget = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

function redirect(
  reply: FastifyReply,
  redirectTarget: RedirectTarget,
  result: Record<string, string>,
): FastifyReply {
  const { redirectUri, state } = redirectTarget;
  const query = new URLSearchParams({ ...result, ...(state !== undefined && { state }) });
  // The redirect URI may have a query (RFC 6749, 3.1.2).
  const target = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`;
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(target, 303);
}

function redirectError(reply: FastifyReply, redirectTarget: RedirectTarget, error: OAuthError): FastifyReply {
  return redirect(reply, redirectTarget, { error: error.code, error_description: error.message });
}

function sendErrorPage(error: Error, _request: unknown, reply: FastifyReply): void {
  if (!(error instanceof UntrustedRequest)) throw error;
  void reply.code(400).headers(PAGE_HEADERS).send(authorizationErrorPage(error.message));
}

/** @throws UntrustedRequest if the client is unknown */
function checkClient(parameters: Parameters, applications: Applications): Application {
  const application = applications.find(parameters.get('client_id') ?? '');
  if (application) return application;
  throw new UntrustedRequest(
    'No application has this client_id. Compare it with the Client ID in the developer panel.',
  );
}

/** @throws UntrustedRequest if the redirect URI is not exactly one of those registered */
function checkRedirectUri(parameters: Parameters, application: Application): string {
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
function checkResponseType(parameters: Parameters): void {
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
function checkScopes(parameters: Parameters): Scope[] {
  const requested = parameters.get('scope')?.split(SCOPE_SEPARATOR.authorizeRequest) ?? [];
  const recognized = SCOPES.filter((scope) => requested.includes(scope));
  if (requested.length > 0 && requested.every((scope) => recognized.some((name) => name === scope)))
    return recognized;
  throw new OAuthError('invalid_scope', `Send one or more of ${SCOPES.join(',')}, separated by commas.`);
}
