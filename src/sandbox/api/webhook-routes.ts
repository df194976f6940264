import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { EventType } from '../../protocol/event-types';
import type { Webhook, Webhooks } from '../webhooks/webhooks';
import type { Grants } from '../oauth/grants';
import { parseRequest } from '../parse-request';
import { Problem } from '../problem';
import type { LiveReadings } from '../quirks/readings';
import { sendCreated } from './send-created';
import { sendList } from './send-list';
import { checkWebhookLimit } from './webhook-limit';
import { requireScope } from './authenticate-bearer';
import { webhookChanges, webhookRequest } from './webhook-request';

/** A webhook as the API answers it. The answer is not shown (document, 2.5): the request's fields without its secret. */
interface WebhookRecord {
  webhook_id: string;
  url: string;
  events: readonly EventType[];
  active: boolean;
}

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** Create, list, update and delete webhooks (document, 4.3 to 4.6). Each belongs to the application that made it. */
export function webhookRoutes(
  app: FastifyInstance,
  { grants, webhooks, readings }: { grants: Grants; webhooks: Webhooks; readings: LiveReadings },
): void {
  app.addHook('onRequest', requireScope(grants, 'webhooks'));

  const named = (request: WithId): Webhook => {
    const webhook = webhooks.find(request.grant.clientId, request.params.id);
    if (webhook) return webhook;
    const detail = 'Your application has no webhook with this id. List your webhooks for those it has.';
    throw new Problem(404, 'webhook_not_found', 'No such webhook', detail);
  };

  app.post(ENDPOINTS.webhooks, (request, reply) => {
    const { clientId } = request.grant;
    const wanted = parseRequest(webhookRequest, request.body);
    checkWebhookLimit(webhooks.ofApplication(clientId).length, readings);
    return sendCreated(reply, recordOf(webhooks.create(clientId, wanted)), readings);
  });

  app.get(ENDPOINTS.webhooks, (request, reply) => {
    const records = webhooks.ofApplication(request.grant.clientId).map(recordOf);
    return sendList(request, reply, { name: 'webhooks', records }, readings);
  });

  app.patch(`${ENDPOINTS.webhooks}/:id`, (request: WithId, reply) => {
    const webhook = named(request);
    webhooks.change(webhook, parseRequest(webhookChanges, request.body));
    return reply.send(recordOf(webhook));
  });

  app.delete(`${ENDPOINTS.webhooks}/:id`, (request: WithId, reply) => {
    webhooks.delete(named(request));
    return reply.code(204).send();
  });
}

function recordOf(webhook: Webhook): WebhookRecord {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    active: webhook.active,
  };
}
