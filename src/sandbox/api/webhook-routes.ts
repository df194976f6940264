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

/** A webhook in responses. The document does not show it (2.5); the sandbox sends the request's fields without the secret. */
interface WebhookRecord {
  webhook_id: string;
  url: string;
  events: readonly EventType[];
  active: boolean;
}

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** Create, list, update and delete webhooks (document, 4.3 to 4.6). Each belongs to the application that created it. */
export function webhookRoutes(
  app: FastifyInstance,
  { grants, webhooks, readings }: { grants: Grants; webhooks: Webhooks; readings: LiveReadings },
): void {
  app.addHook('onRequest', requireScope(grants, 'webhooks'));

  const webhookOf = (request: WithId): Webhook => {
    const webhook = webhooks.find(request.grant.clientId, request.params.id);
    if (webhook) return webhook;
    const detail = 'Your application has no webhook with this id. List your webhooks to see their ids.';
    throw new Problem(404, 'webhook_not_found', 'Webhook not found', detail);
  };

  app.post(ENDPOINTS.webhooks, (request, reply) => {
    const { clientId } = request.grant;
    const fields = parseRequest(webhookRequest, request.body);
    checkWebhookLimit(webhooks.ofApplication(clientId).length, readings);
    return sendCreated(reply, recordOf(webhooks.create(clientId, fields)), readings);
  });

  app.get(ENDPOINTS.webhooks, (request, reply) => {
    const records = webhooks.ofApplication(request.grant.clientId).map(recordOf);
    return sendList(request, reply, { name: 'webhooks', records }, readings);
  });

  app.patch(`${ENDPOINTS.webhooks}/:id`, (request: WithId, reply) => {
    const webhook = webhookOf(request);
    webhooks.change(webhook, parseRequest(webhookChanges, request.body));
    return reply.send(recordOf(webhook));
  });

  app.delete(`${ENDPOINTS.webhooks}/:id`, (request: WithId, reply) => {
    webhooks.delete(webhookOf(request));
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
