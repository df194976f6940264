import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Emitter } from '../emission/emitter';
import { AGENTS, SCENARIOS } from '../emission/names';
import type { SalesFloor } from '../emission/sales-floor';
import { parseRequest } from '../parse-request';
import { Problem } from '../problem';
import { found } from './found';
import { contactChanges, contactRequest, taskRequest } from './record-requests';

type WithId = FastifyRequest<{ Params: { id: string } }>;

const numberOf = ({ params }: WithId): number => Number(params.id);

/** Contacts, tasks, scenarios and agents, each act with the event that follows from it (document, 6.1). */
export function workActs(
  app: FastifyInstance,
  { floor, emitter }: { floor: SalesFloor; emitter: Emitter },
): void {
  app.get('/panel/contacts', () => ({ data: floor.contacts.all() }));
  app.post('/panel/contacts', (request, reply) => {
    const contact = floor.contacts.meet(parseRequest(contactRequest, request.body));
    emitter.notify('contact.created', contact);
    return reply.code(201).send(contact);
  });
  app.patch('/panel/contacts/:id', (request: WithId) => {
    const changes = parseRequest(contactChanges, request.body);
    const contact = found(floor.contacts.change(numberOf(request), changes), 'contact');
    emitter.notify('contact.updated', contact);
    return contact;
  });

  app.get('/panel/tasks', () => ({ data: floor.tasks.all() }));
  app.post('/panel/tasks', (request, reply) => {
    const wanted = parseRequest(taskRequest, request.body);
    if (wanted.deal_id !== undefined && !floor.deals.find(wanted.deal_id)) throw noSuchDeal();
    const task = floor.tasks.add(wanted);
    emitter.notify('task.created', task);
    return reply.code(201).send(task);
  });
  app.post('/panel/tasks/:id/complete', (request: WithId) => {
    const task = found(floor.tasks.complete(numberOf(request)), 'open task');
    emitter.notify('task.completed', task);
    return task;
  });

  app.get('/panel/scenarios', () => ({ data: SCENARIOS }));
  app.post('/panel/scenarios/:id/execute', (request: WithId, reply) => {
    const scenario = found(
      SCENARIOS.find(({ id }) => id === numberOf(request)),
      'scenario',
    );
    const run = { ...floor.playbook.execute(scenario) };
    emitter.notify('scenario.executed', run);
    return reply.code(201).send(run);
  });

  app.get('/panel/agents', () => ({ data: AGENTS }));
  app.post('/panel/agents/:id/trigger', (request: WithId, reply) => {
    const agent = found(
      AGENTS.find(({ id }) => id === numberOf(request)),
      'agent',
    );
    const run = { ...floor.playbook.trigger(agent) };
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
