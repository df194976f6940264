import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { webhookRequest } from '../api/webhook-request';
import type { Webhook, Webhooks } from '../webhooks/webhooks';
import { requireFound } from './require-found';
import { parseRequest } from '../parse-request';

const { url, events, active } = webhookRequest.shape;

const changesBySomebodyElse = z.strictObject({ url, events, active }).partial();

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** Changes and deletes any webhook, as somebody else with access to the account would, behind its application's back. */
export function webhookActs(app: FastifyInstance, { webhooks }: { webhooks: Webhooks }): void {
  const named = ({ params }: WithId): Webhook =>
    requireFound(
      webhooks.all().find(({ id }) => id === params.id),
      'webhook',
    );

  app.patch('/panel/webhooks/:id', (request: WithId, reply) => {
    webhooks.change(named(request), parseRequest(changesBySomebodyElse, request.body));
    return reply.code(204).send();
  });

  app.delete('/panel/webhooks/:id', (request: WithId, reply) => {
    webhooks.delete(named(request));
    return reply.code(204).send();
  });
}
