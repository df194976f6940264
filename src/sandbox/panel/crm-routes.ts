import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Emitter } from '../webhooks/emitter';
import { AGENTS, SCENARIOS } from '../crm/sample-data';
import type { Crm } from '../crm/crm';
import { parseRequest } from '../parse-request';
import { Problem } from '../problem';
import { requireFound } from './require-found';
import { contactChanges, contactRequest, taskRequest } from './record-requests';

type WithId = FastifyRequest<{ Params: { id: string } }>;

const numberOf = ({ params }: WithId): number => Number(params.id);

/** Contacts, tasks, scenarios and agents, each act with the event that follows from it (document, 6.1). */
export function crmRoutes(app: FastifyInstance, { crm, emitter }: { crm: Crm; emitter: Emitter }): void {
  app.get('/panel/contacts', () => ({ data: crm.contacts.all() }));
  app.post('/panel/contacts', (request, reply) => {
    const contact = crm.contacts.create(parseRequest(contactRequest, request.body));
    emitter.notify('contact.created', contact);
    return reply.code(201).send(contact);
  });
  app.patch('/panel/contacts/:id', (request: WithId) => {
    const changes = parseRequest(contactChanges, request.body);
    const contact = requireFound(crm.contacts.change(numberOf(request), changes), 'contact');
    emitter.notify('contact.updated', contact);
    return contact;
  });

  app.get('/panel/tasks', () => ({ data: crm.tasks.all() }));
  app.post('/panel/tasks', (request, reply) => {
    const wanted = parseRequest(taskRequest, request.body);
    if (wanted.deal_id !== undefined && !crm.deals.find(wanted.deal_id)) throw noSuchDeal();
    const task = crm.tasks.create(wanted);
    emitter.notify('task.created', task);
    return reply.code(201).send(task);
  });
  app.post('/panel/tasks/:id/complete', (request: WithId) => {
    const task = requireFound(crm.tasks.complete(numberOf(request)), 'open task');
    emitter.notify('task.completed', task);
    return task;
  });

  app.get('/panel/scenarios', () => ({ data: SCENARIOS }));
  app.post('/panel/scenarios/:id/execute', (request: WithId, reply) => {
    const scenario = requireFound(
      SCENARIOS.find(({ id }) => id === numberOf(request)),
      'scenario',
    );
    const run = { ...crm.automations.executeScenario(scenario) };
    emitter.notify('scenario.executed', run);
    return reply.code(201).send(run);
  });

  app.get('/panel/agents', () => ({ data: AGENTS }));
  app.post('/panel/agents/:id/trigger', (request: WithId, reply) => {
    const agent = requireFound(
      AGENTS.find(({ id }) => id === numberOf(request)),
      'agent',
    );
    const run = { ...crm.automations.triggerAgent(agent) };
    emitter.notify('agent.triggered', run);
    return reply.code(201).send(run);
  });
}

function noSuchDeal(): Problem {
  const detail = 'There is no deal with this id. List those there are.';
  return new Problem(422, 'invalid_request', 'The request was not understood', `deal_id: ${detail}`, [
    { field: 'deal_id', detail },
  ]);
}
