import type { FastifyInstance, FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import { PAGE_HEADERS } from '../html-page';
import type { Applications } from './applications';
import { checkClient, checkRedirectUri, checkResponseType, checkScopes } from './check-authorization';
import { consentPage, authorizationErrorPage } from './consent-page';
import type { Grants } from './grants';
import { OAuthError, UntrustedRequest } from './oauth-error';
import { Parameters, rejectRepeated } from './parameters';
import type { AuthorizationRequest, PendingConsents } from './pending-consents';

/** `ask` shows a consent page; `grant` consents automatically, for demos and tests without a browser. */
export type ConsentMode = 'ask' | 'grant';

/** What the authorize endpoint depends on. */
export interface AuthorizeDependencies {
  applications: Applications;
  grants: Grants;
  pendingConsents: PendingConsents;
  consent: ConsentMode;
}

/** `GET /oauth/authorize` (document, 4.1), and the `POST` of the sandbox's consent page. */
export function authorizeRoutes(
  app: FastifyInstance,
  { applications, grants, pendingConsents, consent }: AuthorizeDependencies,
): void {
  const grant = (reply: FastifyReply, request: AuthorizationRequest): FastifyReply => {
    const { application, scopes, redirectUri } = request;
    const code = grants.issueCode({ clientId: application.clientId, scopes, redirectUri });
    return redirect(reply, request, { code });
  };

  app.get(ENDPOINTS.authorize, { errorHandler: sendErrorPage }, (request, reply) => {
    const parameters = new Parameters(new URL(request.url, 'http://sandbox').search);
    const application = checkClient(parameters, applications);
    const redirectUri = checkRedirectUri(parameters, application);
    const redirectTarget = { redirectUri, state: parameters.get('state') };
    try {
      rejectRepeated(parameters);
      checkResponseType(parameters);
      const authorization = { ...redirectTarget, application, scopes: checkScopes(parameters) };
      if (consent === 'grant') return grant(reply, authorization);
      const consentRequest = {
        id: pendingConsents.add(authorization),
        applicationName: application.name,
        redirectUri,
        scopes: authorization.scopes,
      };
      return reply.headers(PAGE_HEADERS).send(consentPage(consentRequest));
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
