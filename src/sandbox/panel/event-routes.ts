import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AGENTS, SCENARIOS } from '../crm/sample-data';
import { EVENT_TYPES } from '../../protocol/event-types';
import { parseRequest } from '../parse-request';
import type { Parts } from '../parts';
import { type WithId, requireFound } from './require-found';

const eventRequest = z.strictObject({
  type: z.enum(EVENT_TYPES, `Send one of ${EVENT_TYPES.join(', ')}.`),
  data: z.record(z.string(), z.unknown(), 'Send an object.').optional(),
});

const requireItem = <T extends { id: number }>(items: readonly T[], { params }: WithId, kind: string): T =>
  requireFound(
    items.find(({ id }) => id === Number(params.id)),
    kind,
  );

/** Emits events on request: any type, with the given `data` or a generated record; scenarios; agents. */
export function eventRoutes(app: FastifyInstance, { crm, emitter }: Parts): void {
  app.post('/panel/events', (request, reply) => {
    const { type, data } = parseRequest(eventRequest, request.body);
    return reply.code(202).send(data ? emitter.notify(type, data) : emitter.emit(type));
  });

  app.get('/panel/scenarios', () => ({ data: SCENARIOS }));
  app.post('/panel/scenarios/:id/execute', (request: WithId, reply) => {
    const scenario = requireItem(SCENARIOS, request, 'scenario');
    const run = crm.automations.executeScenario(scenario);
    emitter.notify('scenario.executed', run);
    return reply.code(201).send(run);
  });

  app.get('/panel/agents', () => ({ data: AGENTS }));
  app.post('/panel/agents/:id/trigger', (request: WithId, reply) => {
    const agent = requireItem(AGENTS, request, 'agent');
    const run = crm.automations.triggerAgent(agent);
    emitter.notify('agent.triggered', run);
    return reply.code(201).send(run);
  });
}
