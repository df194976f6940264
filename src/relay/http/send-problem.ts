import type { FastifyReply } from 'fastify';
import type { Problem } from '../../contract/problem';
import { closeIfUnread } from './close-in-stages';

/** As long as Co-Pilot's own first pause: whoever meets a passing fault comes back then. */
const RETRY_AFTER_SECONDS = 5;

/** Answers with a problem and the headers that its status calls for. What comes ahead of the body ends the connection. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  if (problem.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="switchboard"');
  closeIfUnread(reply.request.raw, reply.raw);
  void reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}
