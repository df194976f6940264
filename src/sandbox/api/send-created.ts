import type { FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { LiveReadings } from '../quirks/readings';

/** Confirms a creation. The document does not show the response (4.3); the reading decides. */
export function sendCreated(
  reply: FastifyReply,
  record: { webhook_id: string },
  readings: LiveReadings,
): FastifyReply {
  const format = readings.now.create_answer;
  if (format === 'empty_204') return reply.code(204).send();
  if (format === 'empty_201') return reply.code(201).send();
  return reply
    .code(201)
    .header('location', `${ENDPOINTS.webhooks}/${record.webhook_id}`)
    .send(format === 'record' ? record : { [format]: record });
}
