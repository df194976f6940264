import type { FastifyInstance, FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import { PAGE_HEADERS } from '../html-page';
import type { Applications } from './applications';
import { checkClient, checkRedirectUri, checkResponseType, checkScopes } from './check-authorization';
import { consentPage, refusalPage } from './consent-page';
import type { Grants } from './grants';
import { OAuthError, UntrustedRequest } from './oauth-error';
import { Parameters, refuseRepeated } from './parameters';
import type { AuthorizationRequest, PendingConsents } from './pending-consents';

/** `ask` shows the user a consent page; `grant` consents at once, for demos and tests without a browser. */
export type ConsentMode = 'ask' | 'grant';

/** What the authorize endpoint stands on. */
export interface AuthorizeParts {
  applications: Applications;
  grants: Grants;
  pendingConsents: PendingConsents;
  consent: ConsentMode;
}

/** `GET /oauth/authorize` (document, 4.1), and the `POST` of its consent page, which is the sandbox's own. */
export function authorizeRoutes(
  app: FastifyInstance,
  { applications, grants, pendingConsents, consent }: AuthorizeParts,
): void {
  const grant = (reply: FastifyReply, request: AuthorizationRequest): FastifyReply => {
    const { application, scopes, redirectUri } = request;
    const code = grants.issueCode({ clientId: application.clientId, scopes, redirectUri });
    return redirect(reply, request, { code });
  };

  app.get(ENDPOINTS.authorize, { errorHandler: showRefusal }, (request, reply) => {
    const parameters = new Parameters(new URL(request.url, 'http://sandbox').search);
    const application = checkClient(parameters, applications);
    const redirectUri = checkRedirectUri(parameters, application);
    const wayBack = { redirectUri, state: parameters.get('state') };
    try {
      refuseRepeated(parameters);
      checkResponseType(parameters);
      const asked = { ...wayBack, application, scopes: checkScopes(parameters) };
      if (consent === 'grant') return grant(reply, asked);
      const question = {
        id: pendingConsents.add(asked),
        name: application.name,
        redirectUri,
        scopes: asked.scopes,
      };
      return reply.headers(PAGE_HEADERS).send(consentPage(question));
    } catch (error) {
      if (error instanceof OAuthError) return redirectError(reply, wayBack, error);
      throw error;
    }
  });

  app.post<{ Body: Parameters }>(ENDPOINTS.authorize, { errorHandler: showRefusal }, (request, reply) => {
    const asked = pendingConsents.take(request.body.get('question') ?? '');
    if (!asked)
      throw new UntrustedRequest(
        'This question was answered before or is too old. Begin anew at the application.',
      );
    if (request.body.get('decision') === 'allow') return grant(reply, asked);
    return redirectError(reply, asked, new OAuthError('access_denied', 'The user denied the request.'));
  });
}

type WayBack = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

function redirect(reply: FastifyReply, wayBack: WayBack, answer: Record<string, string>): FastifyReply {
  const { redirectUri, state } = wayBack;
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }) });
  // A query that was registered with the redirect URI stays as it is (RFC 6749, 3.1.2).
  const target = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`;
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(target, 303);
}

function redirectError(reply: FastifyReply, wayBack: WayBack, error: OAuthError): FastifyReply {
  return redirect(reply, wayBack, { error: error.code, error_description: error.message });
}

function showRefusal(error: Error, _request: unknown, reply: FastifyReply): void {
  if (!(error instanceof UntrustedRequest)) throw error;
  void reply.code(400).headers(PAGE_HEADERS).send(refusalPage(error.message));
}
