import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../protocol/endpoints';
import { dealRoutes } from './api/deal-routes';
import { webhookRoutes } from './api/webhook-routes';
import { isoTime } from './clock';
import { authorizeRoutes } from './oauth/authorize-routes';
import { Parameters } from './oauth/parameters';
import { tokenRoute } from './oauth/token-route';
import { panelRoutes } from './panel/panel-routes';
import type { Parts } from './parts';
import { Problem, sendProblem } from './problem';
import { injectFaults } from './quirks/inject-faults';
import { receiverRoute } from './receiver';

/** The routes of the emulated service and its panel, not yet listening. Each group has its own hooks. */
export function createHttpApplication(parts: Parts): FastifyInstance {
  // Do not wait for keep-alive connections when closing.
  const app = Fastify({ forceCloseConnections: true });

  app.addHook('onResponse', (request, reply, next) => {
    parts.log.add({
      kind: 'request',
      at: isoTime(parts.clock.now()),
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '/',
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    });
    next();
  });
  // A success response promises that the change is stored, so it waits for the save. An error response does not; what
  // the request changed is saved soon afterwards.
  app.addHook('onSend', async (request, reply) => {
    if (!mayChangeState(request)) return;
    if (reply.statusCode < 400) await parts.state.save();
    else parts.state.markChanged();
  });
  app.setErrorHandler((error: FastifyError | Problem, _request, reply) =>
    sendProblem(reply.removeHeader('location'), problemOf(error)),
  );
  app.setNotFoundHandler((_request, reply) => {
    const detail = 'There is no such endpoint. Section 4 of the document lists the endpoints.';
    return sendProblem(reply, new Problem(404, 'not_found', 'Not found', detail));
  });

  injectFaults(app, parts);
  for (const routes of [oauthRoutes, webhookRoutes, dealRoutes, panelRoutes, receiverRoute]) {
    app.register((scope, _options, done) => {
      routes(scope, parts);
      done();
    });
  }
  return app;
}

/** Both OAuth endpoints (document, 4). They accept only forms (document, 4.2). */
function oauthRoutes(app: FastifyInstance, parts: Parts): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, form, done) => done(null, new Parameters(String(form))),
  );
  authorizeRoutes(app, parts);
  tokenRoute(app, parts);
}

// GET on the authorize endpoint issues a code or a pending consent.
function mayChangeState({ method, url }: FastifyRequest): boolean {
  return method !== 'GET' || url.startsWith(ENDPOINTS.authorize);
}

function problemOf(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error;
  const status = error.statusCode ?? 500;
  if (status >= 500)
    return new Problem(500, 'internal_error', 'Internal error', `The sandbox failed: ${error.message}.`);
  return new Problem(status, 'unreadable_request', 'The request could not be read', error.message);
}
