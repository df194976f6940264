import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Problem } from '../../contract/problem';
import { closeIfUnread } from './close-in-stages';

/** As long as Co-Pilot's own pause before its first retry. */
const RETRY_AFTER_SECONDS = 5;

const CONTENT_TYPE = { 'content-type': 'application/problem+json; charset=utf-8' };

/** Sends a problem as it is, without the framework. */
export function writeProblem(response: ServerResponse, problem: Problem, headers: OutgoingHttpHeaders): void {
  response.writeHead(problem.status, { ...CONTENT_TYPE, ...headers }).end(JSON.stringify(problem));
}

/** Sends a problem with the headers for its status. If the body was not read, the connection is closed afterwards. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  if (problem.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="switchboard"');
  closeIfUnread(reply.request.raw, reply.raw);
  void reply.code(problem.status).headers(CONTENT_TYPE).send(JSON.stringify(problem));
}
