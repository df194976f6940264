import type { FastifyInstance } from 'fastify';
import type { EventType } from '../../protocol/event-types';
import type { Deal } from '../../protocol/shapes';
import { parseRequest } from '../parse-request';
import type { Parts } from '../parts';
import { Problem } from '../problem';
import { contactChanges, contactRequest, dealChanges, dealRequest, taskRequest } from './record-requests';
import { type WithId, requireFound } from './require-found';

const idOf = ({ params }: WithId): number => Number(params.id);

/** Creates and changes deals, contacts and tasks; each change emits its events (document, 6.1). */
export function crmRoutes(app: FastifyInstance, { crm, emitter }: Parts): void {
  app.get('/panel/deals', () => ({ data: crm.deals.all() }));

  app.post('/panel/deals', (request, reply) => {
    const deal = crm.deals.create(parseRequest(dealRequest, request.body));
    emitter.notify('deal.created', deal);
    return reply.code(201).send(deal);
  });

  app.patch('/panel/deals/:id', (request: WithId) => {
    const before = requireFound(crm.deals.find(idOf(request)), 'deal');
    const changes = parseRequest(dealChanges(before.pipeline_id), request.body);
    const types = eventsOf(before, { ...before, ...changes });
    if (types.length === 0) return before;
    const after = requireFound(crm.deals.change(before.id, changes), 'deal');
    for (const type of types) emitter.notify(type, after);
    return after;
  });

  app.delete('/panel/deals/:id', (request: WithId, reply) => {
    const deal = requireFound(crm.deals.delete(idOf(request)), 'deal');
    emitter.notify('deal.deleted', deal);
    return reply.code(204).send();
  });

  app.get('/panel/contacts', () => ({ data: crm.contacts.all() }));
  app.post('/panel/contacts', (request, reply) => {
    const contact = crm.contacts.create(parseRequest(contactRequest, request.body));
    emitter.notify('contact.created', contact);
    return reply.code(201).send(contact);
  });
  app.patch('/panel/contacts/:id', (request: WithId) => {
    const changes = parseRequest(contactChanges, request.body);
    const contact = requireFound(crm.contacts.change(idOf(request), changes), 'contact');
    emitter.notify('contact.updated', contact);
    return contact;
  });

  app.get('/panel/tasks', () => ({ data: crm.tasks.all() }));
  app.post('/panel/tasks', (request, reply) => {
    const fields = parseRequest(taskRequest, request.body);
    if (fields.deal_id !== undefined && !crm.deals.find(fields.deal_id)) {
      const detail = 'There is no deal with this id. List the deals to see their ids.';
      const errors = [{ field: 'deal_id', detail }];
      throw new Problem(422, 'invalid_request', 'Invalid request', `deal_id: ${detail}`, errors);
    }
    const task = crm.tasks.create(fields);
    emitter.notify('task.created', task);
    return reply.code(201).send(task);
  });
  app.post('/panel/tasks/:id/complete', (request: WithId) => {
    const task = requireFound(crm.tasks.complete(idOf(request)), 'open task');
    emitter.notify('task.completed', task);
    return task;
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
