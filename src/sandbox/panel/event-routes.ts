import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';
import type { Emitter } from '../webhooks/emitter';
import { parseRequest } from '../parse-request';

const eventRequest = z.strictObject({
  type: z.enum(EVENT_TYPES, `Send one of ${EVENT_TYPES.join(', ')}.`),
  data: z.record(z.string(), z.unknown(), 'Send an object.').optional(),
});

/** Any of the ten events by hand: with exactly this `data`, or with what the sales floor then does. */
export function eventRoutes(app: FastifyInstance, { emitter }: { emitter: Emitter }): void {
  app.post('/panel/events', (request, reply) => {
    const { type, data } = parseRequest(eventRequest, request.body);
    return reply.code(202).send(data ? emitter.notify(type, data) : emitter.emit(type));
  });
}
