import type { FastifyInstance } from 'fastify';
import { webhookRequest } from '../api/webhook-request';
import { parseRequest } from '../parse-request';
import type { Parts } from '../parts';
import type { Delivery } from '../webhooks/delivery';
import type { Webhook } from '../webhooks/webhooks';
import { type WithId, requireFound } from './require-found';

/**
 * The webhooks of all applications without their secrets, and their deliveries. `PATCH` and `DELETE` act as another
 * user of the account would, without the application's knowledge.
 */
export function webhookRoutes(app: FastifyInstance, { webhooks, allowHttp }: Parts): void {
  const externalChanges = webhookRequest(allowHttp).omit({ secret: true }).partial();
  const webhookOf = ({ params }: WithId): Webhook =>
    requireFound(
      webhooks.all().find(({ id }) => id === params.id),
      'webhook',
    );

  app.get('/panel/webhooks', () => ({ data: webhooks.all().map(describeWebhook) }));
  app.get('/panel/webhooks/:id/deliveries', (request: WithId) => ({
    data: webhookOf(request).deliveries.latestFirst().map(describeDelivery),
  }));
  app.patch('/panel/webhooks/:id', (request: WithId, reply) => {
    webhooks.change(webhookOf(request), parseRequest(externalChanges, request.body));
    return reply.code(204).send();
  });
  app.delete('/panel/webhooks/:id', (request: WithId, reply) => {
    webhooks.delete(webhookOf(request));
    return reply.code(204).send();
  });
}

function describeWebhook({ id, clientId, url, events, active }: Webhook) {
  return { webhook_id: id, client_id: clientId, url, events, active };
}

function describeDelivery({ event, timestamp, state, attempts, nextAttemptAt }: Delivery) {
  return { event, timestamp, state, attempts, nextAttemptAt: state === 'retrying' ? nextAttemptAt : null };
}
