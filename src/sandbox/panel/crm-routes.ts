import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Emitter } from '../webhooks/emitter';
import type { Crm } from '../crm/crm';
import { parseRequest } from '../parse-request';
import { Problem } from '../problem';
import { requireFound } from './require-found';
import { contactChanges, contactRequest, taskRequest } from './record-requests';

type WithId = FastifyRequest<{ Params: { id: string } }>;

const idOf = ({ params }: WithId): number => Number(params.id);

/** Creates and changes contacts and tasks; each change emits its event (document, 6.1). */
export function crmRoutes(app: FastifyInstance, { crm, emitter }: { crm: Crm; emitter: Emitter }): void {
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
    if (fields.deal_id !== undefined && !crm.deals.find(fields.deal_id)) throw dealNotFound();
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

function dealNotFound(): Problem {
  const detail = 'There is no deal with this id. List the deals to see their ids.';
  return new Problem(422, 'invalid_request', 'Invalid request', `deal_id: ${detail}`, [
    { field: 'deal_id', detail },
  ]);
}
