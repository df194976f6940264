import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../protocol/endpoints';
import { dealRoutes } from './api/deal-routes';
import { webhookRoutes } from './api/webhook-routes';
import { type Clock, isoTime } from './clock';
import type { Crm } from './crm/crm';
import { type FaultParts, injectFaults } from './quirks/inject-faults';
import type { AuthorizeParts } from './oauth/authorize-routes';
import { oauthRoutes } from './oauth/oauth-routes';
import { type PanelParts, panelRoutes } from './panel/panel-routes';
import { Problem, sendProblem } from './problem';
import type { State } from './state/state';

/** What the routes need. */
export interface HttpParts extends AuthorizeParts, PanelParts, FaultParts {
  state: State;
  clock: Clock;
  crm: Crm;
}

/** The routes of the emulated service and its panel, not yet listening. Each group has its own hooks. */
export function createHttpApplication(parts: HttpParts): FastifyInstance {
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
  // State is saved before a success response is sent. An error response may have changed state too, but promises nothing.
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
  app.register(groupOf(oauthRoutes, parts));
  app.register(groupOf(webhookRoutes, parts));
  app.register(groupOf(dealRoutes, parts));
  app.register(groupOf(panelRoutes, parts));
  return app;
}

// GET on the authorize endpoint issues a code or a pending consent.
function mayChangeState({ method, url }: FastifyRequest): boolean {
  return method !== 'GET' || url.startsWith(ENDPOINTS.authorize);
}

function groupOf<T>(routes: (app: FastifyInstance, parts: T) => void, parts: T) {
  return (app: FastifyInstance, _options: unknown, done: () => void): void => {
    routes(app, parts);
    done();
  };
}

function problemOf(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error;
  const status = error.statusCode ?? 500;
  if (status >= 500)
    return new Problem(500, 'internal_error', 'Internal error', `The sandbox failed: ${error.message}.`);
  return new Problem(status, 'unreadable_request', 'The request could not be read', error.message);
}
