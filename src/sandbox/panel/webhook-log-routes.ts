import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Delivery } from '../webhooks/delivery';
import type { Webhook, Webhooks } from '../webhooks/webhooks';
import { requireFound } from './require-found';

/** The webhooks of all applications, and what was sent to each, without their secrets. */
export function webhookLogRoutes(app: FastifyInstance, { webhooks }: { webhooks: Webhooks }): void {
  app.get('/panel/webhooks', () => ({ data: webhooks.all().map(describeWebhook) }));
  app.get('/panel/webhooks/:id/deliveries', ({ params }: FastifyRequest<{ Params: { id: string } }>) => {
    const webhook = webhooks.all().find(({ id }) => id === params.id);
    return { data: requireFound(webhook, 'webhook').deliveries.latestFirst().map(describeDelivery) };
  });
}

function describeWebhook({ id, clientId, url, events, active }: Webhook) {
  return { webhook_id: id, client_id: clientId, url, events, active };
}

function describeDelivery({ event, timestamp, state, attempts, nextAttemptAt }: Delivery) {
  return { event, timestamp, state, attempts, nextAttemptAt: state === 'waiting' ? nextAttemptAt : null };
}
