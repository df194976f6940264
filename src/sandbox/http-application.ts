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

/** All that the routes stand on. */
export interface HttpParts extends AuthorizeParts, PanelParts, FaultParts {
  state: State;
  clock: Clock;
  crm: Crm;
}

/** The routes of the emulated service and of its panel, not yet listening; each group apart, with its own rules. */
export function createHttpApplication(parts: HttpParts): FastifyInstance {
  // Closing must not wait for connections that a client keeps alive.
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
  // What an answer tells of is on disk before it goes out; a refusal promises nothing, though it may revoke something.
  app.addHook('onSend', async (request, reply) => {
    if (!mayChangeSomething(request)) return;
    if (reply.statusCode < 400) await parts.state.save();
    else parts.state.markChanged();
  });
  app.setErrorHandler((error: FastifyError | Problem, _request, reply) =>
    sendProblem(reply.removeHeader('location'), problemOf(error)),
  );
  app.setNotFoundHandler((_request, reply) => {
    const detail = 'The service has no such address. The ones it has are listed in its document, section 4.';
    return sendProblem(reply, new Problem(404, 'not_found', 'Not found', detail));
  });

  injectFaults(app, parts);
  app.register(groupOf(oauthRoutes, parts));
  app.register(groupOf(webhookRoutes, parts));
  app.register(groupOf(dealRoutes, parts));
  app.register(groupOf(panelRoutes, parts));
  return app;
}

// A visit to the authorize endpoint gives a code, or asks the user a question.
function mayChangeSomething({ method, url }: FastifyRequest): boolean {
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
    return new Problem(500, 'sandbox_fault', 'Fault of the sandbox', `The sandbox failed: ${error.message}.`);
  return new Problem(status, 'unreadable_request', 'The request could not be read', error.message);
}
