import type { FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { LiveReadings } from '../quirks/readings';

/** Answers that the webhook was created, as the reading in force has it: the answer is not shown (document, 4.3). */
export function sendCreated(
  reply: FastifyReply,
  record: { webhook_id: string },
  readings: LiveReadings,
): FastifyReply {
  const answer = readings.now.create_answer;
  if (answer === 'empty_204') return reply.code(204).send();
  if (answer === 'empty_201') return reply.code(201).send();
  return reply
    .code(201)
    .header('location', `${ENDPOINTS.webhooks}/${record.webhook_id}`)
    .send(answer === 'record' ? record : { [answer]: record });
}
