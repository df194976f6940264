import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EventType } from '../../protocol/event-types';
import type { Deal } from '../../protocol/shapes';
import type { Emitter } from '../webhooks/emitter';
import type { Crm } from '../crm/crm';
import { parseRequest } from '../parse-request';
import { requireFound } from './require-found';
import { dealChanges, dealRequest } from './record-requests';

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** Creates, changes and deletes deals; each change emits its events (document, 6.1). */
export function dealRoutes(app: FastifyInstance, { crm, emitter }: { crm: Crm; emitter: Emitter }): void {
  app.get('/panel/deals', () => ({ data: crm.deals.all() }));

  app.post('/panel/deals', (request, reply) => {
    const deal = crm.deals.create(parseRequest(dealRequest, request.body));
    emitter.notify('deal.created', { ...deal });
    return reply.code(201).send(deal);
  });

  app.patch('/panel/deals/:id', (request: WithId) => {
    const before = requireFound(crm.deals.find(Number(request.params.id)), 'deal');
    const changes = parseRequest(dealChanges(before.pipeline_id), request.body);
    const types = eventsOf(before, { ...before, ...changes });
    if (types.length === 0) return before;
    const after = requireFound(crm.deals.change(before.id, changes), 'deal');
    for (const type of types) emitter.notify(type, { ...after });
    return after;
  });

  app.delete('/panel/deals/:id', (request: WithId, reply) => {
    const deal = requireFound(crm.deals.delete(Number(request.params.id)), 'deal');
    emitter.notify('deal.deleted', { ...deal });
    return reply.code(204).send();
  });
}

// A new status or pipeline is a status change; changes of the other fields are an update.
function eventsOf(before: Deal, after: Deal): EventType[] {
  const isMoved = before.status_id !== after.status_id || before.pipeline_id !== after.pipeline_id;
  const isUpdated = before.name !== after.name || before.responsible_user_id !== after.responsible_user_id;
  return [
    ...(isUpdated ? ['deal.updated' as const] : []),
    ...(isMoved ? ['deal.status_changed' as const] : []),
  ];
}
