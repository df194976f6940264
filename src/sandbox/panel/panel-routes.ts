import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';
import type { Delivery } from '../emission/delivery';
import type { Emitter } from '../emission/emitter';
import type { Traffic } from '../emission/traffic';
import { trafficRoutes } from '../emission/traffic-routes';
import type { Webhook, Webhooks } from '../emission/webhooks';
import { webhookActs } from '../faults/webhook-acts';
import { PAGE_HEADERS } from '../html-page';
import { applicationRequest } from '../oauth/application-request';
import type { Application, Applications } from '../oauth/applications';
import { parseRequest } from '../parse-request';
import { Problem } from '../problem';
import { type SwitchParts, switchRoutes } from '../readings/switch-routes';
import type { SandboxLog } from '../sandbox-log';
import { panelPage } from './panel-page';
import { PANEL_SCRIPT } from './panel-script';

/** What the developer panel shows and steers. */
export interface PanelParts extends SwitchParts {
  applications: Applications;
  webhooks: Webhooks;
  emitter: Emitter;
  traffic: Traffic;
  log: SandboxLog;
}

const eventRequest = z.strictObject({
  type: z.enum(EVENT_TYPES, `Send one of ${EVENT_TYPES.join(', ')}.`),
  data: z.record(z.string(), z.unknown(), 'Send an object.').default({}),
});

/**
 * The developer panel (document, 5.1): a page, and the JSON routes beneath it. It knows no login, as the sandbox has nothing
 * to protect; only other sites' pages are kept from it.
 */
export function panelRoutes(app: FastifyInstance, parts: PanelParts): void {
  const { applications, webhooks, emitter, log } = parts;

  app.addHook('onRequest', (request, _reply, next) => {
    if (request.headers['sec-fetch-site'] !== 'cross-site') return next();
    const detail = 'The request comes from a page of another site. Open the panel itself.';
    next(new Problem(403, 'foreign_page', 'Request of a foreign page', detail));
  });

  app.get('/panel', (_request, reply) => reply.headers(PAGE_HEADERS).send(panelPage()));
  app.get('/panel/panel.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(PANEL_SCRIPT),
  );

  app.get('/panel/applications', () => ({ data: applications.all().map(describeApplication) }));
  app.post('/panel/applications', (request, reply) => {
    const { clientId, clientSecret } = applications.register(parseRequest(applicationRequest, request.body));
    return reply.code(201).send({ client_id: clientId, client_secret: clientSecret });
  });
  app.post('/panel/applications/:id/secret', (request: WithId) => ({
    client_secret: applications.renewSecret(found(applications.find(request.params.id), 'application')),
  }));

  app.get('/panel/webhooks', () => ({ data: webhooks.all().map(describeWebhook) }));
  app.get('/panel/webhooks/:id/deliveries', (request: WithId) => {
    const webhook = webhooks.all().find(({ id }) => id === request.params.id);
    return { data: found(webhook, 'webhook').deliveries.latestFirst().map(describeDelivery) };
  });

  app.post('/panel/events', (request, reply) => {
    const { type, data } = parseRequest(eventRequest, request.body);
    return reply.code(202).send(emitter.emit(type, data));
  });

  trafficRoutes(app, parts);
  switchRoutes(app, parts);
  webhookActs(app, parts);

  app.get('/panel/requests', () => ({ data: log.requests() }));
}

type WithId = FastifyRequest<{ Params: { id: string } }>;

function found<T>(thing: T | undefined, kind: 'application' | 'webhook'): T {
  if (thing !== undefined) return thing;
  throw new Problem(
    404,
    `${kind}_not_found`,
    `No such ${kind}`,
    `There is no ${kind} with this id. List those there are.`,
  );
}

function describeApplication(application: Application): object {
  const { clientId, name, redirectUris } = application;
  return { client_id: clientId, name, redirect_uris: redirectUris };
}

function describeDelivery({ event, timestamp, state, attempts, nextAttemptAt }: Delivery): object {
  return { event, timestamp, state, attempts, nextAttemptAt: state === 'waiting' ? nextAttemptAt : null };
}

function describeWebhook(webhook: Webhook): object {
  const { id, clientId, url, events, active } = webhook;
  return { webhook_id: id, client_id: clientId, url, events, active };
}
