import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { Parts } from '../parts';
import { parseRequest } from '../parse-request';
import { Problem } from '../problem';
import type { Quirks } from '../quirks/quirks';
import type { Webhook } from '../webhooks/webhooks';
import { sendList } from './send-list';
import { requireScope } from './require-scope';
import { webhookChanges, webhookRequest } from './webhook-request';

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** Create, list, update and delete webhooks (document, 4.3 to 4.6). Each belongs to the application that created it. */
export function webhookRoutes(app: FastifyInstance, { grants, webhooks, quirks, allowHttp }: Parts): void {
  const creation = webhookRequest(allowHttp);
  app.addHook('onRequest', requireScope(grants, 'webhooks'));

  const webhookOf = (request: WithId): Webhook => {
    const webhook = webhooks.find(request.grant.clientId, request.params.id);
    if (webhook) return webhook;
    const detail = 'Your application has no webhook with this id. List your webhooks to see their ids.';
    throw new Problem(404, 'webhook_not_found', 'Webhook not found', detail);
  };

  app.post(ENDPOINTS.webhooks, (request, reply) => {
    const { clientId } = request.grant;
    const fields = parseRequest(creation, request.body);
    checkWebhookLimit(webhooks.ofApplication(clientId).length, quirks);
    return sendCreated(reply, recordOf(webhooks.create(clientId, fields)), quirks);
  });

  app.get(ENDPOINTS.webhooks, (request, reply) => {
    const records = webhooks.ofApplication(request.grant.clientId).map(recordOf);
    return sendList(request, reply, { name: 'webhooks', records }, quirks);
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

/** The document does not show a webhook in responses (2.5): the request's fields without the secret. */
function recordOf({ id, url, events, active }: Webhook) {
  return { webhook_id: id, url, events, active };
}

/**
 * The document shows no limit (8), so it is a quirk.
 * @throws Problem if an application with `count` webhooks may not create another
 */
function checkWebhookLimit(count: number, quirks: Quirks): void {
  const { webhook_limit: limit, webhook_limit_status: status } = quirks.current;
  if (limit === 0 || count < limit) return;
  const detail = `An application can have at most ${limit} webhooks; yours has ${count}. Delete one first.`;
  throw new Problem(Number(status), 'webhook_limit_reached', 'Too many webhooks', detail);
}

/** The document does not show the response to a creation (4.3), so it is a quirk. */
function sendCreated(reply: FastifyReply, record: ReturnType<typeof recordOf>, quirks: Quirks): FastifyReply {
  const format = quirks.current.create_response;
  if (format === 'empty_204') return reply.code(204).send();
  if (format === 'empty_201') return reply.code(201).send();
  return reply
    .code(201)
    .header('location', `${ENDPOINTS.webhooks}/${record.webhook_id}`)
    .send(format === 'record' ? record : { [format]: record });
}
